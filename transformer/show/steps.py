"""A trace in a terminal, step by step."""

from collections.abc import Iterable
from itertools import islice

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..trace.trace import AttentionTrace

STOP_REASONS = {
    "eos": "the model ended the sentence",
    "max_steps": "the limit of steps was reached",
    "max_length": "the model's longest sentence was reached",
}


def print_steps(trace: AttentionTrace, out: Console) -> None:
    """Prints a trace: a row a step, and why there are no more.

    Args:
        trace: what was decoded.
        out: the terminal.
    """
    columns = ["step", "reads", "predicts", "p", "or else"]
    if trace.cross is not None:
        columns.append("looks at (last layer, mean of heads)")
    table = Table(*columns, box=None, padding=(0, 2, 0, 0), header_style="bold")
    for step, (best, *others) in enumerate(trace.candidates):
        emitted = trace.tgt_ids[step]
        probability = next(c.probability for c in (best, *others) if c.id == emitted)
        cells = [
            str(step + 1),
            trace.tgt_in[step],
            trace.tgt_out[step],
            f"{probability:.2f}",
            _shares((c.token, c.probability) for c in (best, *others) if c.id != emitted),
        ]
        if trace.cross is not None:
            row = trace.cross[-1, :, step].mean(0)
            reads = zip(trace.src, map(float, row), strict=True)
            cells.append(_shares(sorted(reads, key=lambda pair: -pair[1])))
        table.add_row(*map(Text, cells))
    out.print(Text(f"{trace.model}: {trace.source} → {trace.translation}"))
    out.print(table)
    out.print(Text(f"Stopped because {STOP_REASONS[trace.stop_reason]}."))
    for change in trace.without_effect:
        out.print(Text(f"{change} has no effect: there is no such row."))


def _shares(shares: Iterable[tuple[str, float]], most: int = 3) -> str:
    return "  ".join(f"{token} {share:.2f}" for token, share in islice(shares, most))
