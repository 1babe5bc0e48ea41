"""How many threads compute."""

import torch


def use_one_thread() -> None:
    """Computes on one thread from now on, in this process: what a server of small models wants.

    Two OpenMP threads wait for each other at every small product; with one busy core beside them, a
    trace took fifteen times as long.
    """
    torch.set_num_threads(1)
