"""Weights that the logits are made of, and that no optimiser reaches."""

from collections.abc import Iterator
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.autograd.function import BackwardCFunction
from torch.nn.parameter import is_lazy

from ...eyes.batches import Batch
from ...eyes.calling import Caller
from ...eyes.dispatch import named_parts
from ...eyes.graph import FRESH, Graph
from ...eyes.logits import find_logits
from ...eyes.shadow import storage_key
from ..basis.clues import Clues
from .outside import moving
from .parameters import learned_storages

NAMED = 3
DEEP = 4  # containers within containers
OF_TORCH = {"_parameters", "_buffers", "_modules"}


def judge_registered(graph: Graph, module: nn.Module, behind: set[int], clues: Clues) -> None:
    """`not_registered`: layers in a plain list or dict, whose weights `parameters()` leaves out."""
    registered = {storage_key(p) for p in module.parameters() if not is_lazy(p)}
    read = {storage_key(o.tensor) for index in behind for o in graph.nodes[index].operands}
    tensors: dict[int, tuple[str, int]] = {}
    for name, weight in _held_plainly(module):
        key = storage_key(weight)
        if key in read and key not in registered and weight.requires_grad:
            tensors.setdefault(key, (name, weight.numel()))
    if tensors:
        missing = sum(count for _, count in tensors.values())
        clues.add(
            "not_registered",
            names=_some([name for name, _ in tensors.values()]),
            missing=missing,
            all=missing + sum(p.numel() for p in module.parameters() if not is_lazy(p)),
        )


def _held_plainly(module: nn.Module) -> Iterator[tuple[str, nn.Parameter]]:
    """Parameters of modules, and bare ones, that lie where PyTorch does not look for them."""
    registered = {id(part) for _, part in named_parts(module)}
    for place, part in named_parts(module):
        for name, value in part.__dict__.items():
            if name not in OF_TORCH:
                yield from _within(f"{place}.{name}" if place else name, value, registered, DEEP)


def _within(
    name: str, value: object, registered: set[int], deep: int
) -> Iterator[tuple[str, nn.Parameter]]:
    if isinstance(value, nn.Parameter):
        if not is_lazy(value):
            yield name, value
    elif isinstance(value, nn.Module):
        if id(value) not in registered:
            for own, weight in value.named_parameters():
                if not is_lazy(weight):
                    yield f"{name}.{own}", weight
    elif deep and isinstance(value, dict):
        for key, held in cast(dict[Any, object], value).items():
            yield from _within(f"{name}[{key!r}]", held, registered, deep - 1)
    elif deep and isinstance(value, list | tuple):
        for at, held in enumerate(cast(list[object], value)):
            yield from _within(f"{name}[{at}]", held, registered, deep - 1)


def judge_gradients(
    graph: Graph,
    caller: Caller,
    batch: Batch,
    result: tuple[int, ...],
    clues: Clues,
) -> None:
    """`gradient_cut`: parameters that the logits are made of, and that get no gradient from them.

    Where a trail of operations ends, as in numpy, the logits themselves tell what they are made of.

    Args:
        graph: the recording.
        caller: of the module whose parameters are looked for.
        batch: that was recorded.
        result: the operations that made the recording's logits.
        clues: to add to.

    Raises:
        CallFailed: the module does not run with gradients.
    """
    module = caller.module
    with torch.enable_grad():
        logits = find_logits(caller.returned(batch), batch, caller.vocab)
    learned = [(n, p) for n, p in module.named_parameters() if p.requires_grad and not is_lazy(p)]
    reached = set[int]()
    if logits is not None and logits.requires_grad:
        reached = {storage_key(p) for p in _reached(logits, [p for _, p in learned])}
    if not reached and caller.call is not None:  # it may be call= that runs under no_grad()
        clues.cannot_tell("no_gradient", "gradient_cut")
        return
    smooth = _smoothly_behind(graph, result) & learned_storages(module)
    unreached = {storage_key(p): (n, p) for n, p in reversed(learned)}
    unreached = {key: unreached[key] for key in reversed(unreached) if key not in reached}
    beyond = [p for key, (_, p) in unreached.items() if key not in smooth]
    outside = {storage_key(p) for p in moving(caller, batch, beyond)}
    cut = [name for key, (name, _) in unreached.items() if key in smooth | outside]
    if cut:
        evidence = "gradient_outside" if outside else "gradient_cut"
        number, total = len(cut), len(cut) + len(reached)
        clues.add("gradient_cut", evidence, names=_some(cut), number=number, all=total)


def _reached(logits: Tensor, learned: list[nn.Parameter]) -> list[nn.Parameter]:
    """The parameters that autograd leads back to, without computing any gradient.

    A function of the stranger's own may give none to what it was given: then they are computed.
    """
    begin = cast(Any, logits.grad_fn)
    waiting, seen, leaves, own = [begin], {begin}, set[int](), False
    while waiting:
        node = waiting.pop()
        own |= isinstance(node, BackwardCFunction)
        if (leaf := getattr(node, "variable", None)) is not None:
            leaves.add(id(leaf))
        fresh = {each for each, _ in node.next_functions if each is not None} - seen
        seen |= fresh
        waiting += fresh
    if not own:
        return [p for p in learned if id(p) in leaves]
    with torch.enable_grad():
        total = logits.float().square().sum()
        gradients = torch.autograd.grad(total, learned, allow_unused=True)
    given = zip(learned, cast(tuple[Tensor | None, ...], gradients), strict=True)
    return [p for p, gradient in given if gradient is not None]


def _smoothly_behind(graph: Graph, result: tuple[int, ...]) -> set[int]:
    """What the logits depend on by operations on real numbers: a choice has no gradient anyway."""
    waiting, seen, smooth = list(result), set(result), set[int]()
    while waiting:
        node = graph.nodes[waiting.pop()]
        for operand in () if node.name in FRESH else node.operands:
            if not (operand.tensor.is_floating_point() or operand.tensor.is_complex()):
                continue
            if not operand.writers:
                smooth.add(storage_key(operand.tensor))
            fresh = set(operand.writers) - seen
            seen |= fresh
            waiting += fresh
    return smooth


def _some(names: list[str]) -> str:
    return ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
