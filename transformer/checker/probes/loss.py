"""The training loss: which token does it ask for at each position, and what does it make of logits?

The loss is recorded, too, so it does not matter where the logits are: in what the module returns,
or behind an output layer that the loss applies itself. They are what goes into the last softmax,
and the labels of their rows say which token the decoder read there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor

from ...eyes.batches import Batch
from ...eyes.calling import Caller
from ...eyes.graph import Graph, Node, Operand
from ...eyes.logits import is_probabilities
from ...eyes.recorder import Recorder
from ...eyes.shadow import MIXED, along
from ...eyes.tokens import Tokens
from ..basis.clues import OF_LOSS, Clues

Loss = Callable[..., Any]
SOFTMAXES = {"_softmax", "_log_softmax", "logsumexp"}
OF_LOGS = {"nll_loss_forward", "nll_loss2d_forward"}
JUDGED_BY_NUMBERS = {"softmax_before_cross_entropy", "log_softmax_missing"}
SHIFTS = (1, 0, 2, -1, 3, -2)  # the right one first


def probe_loss(caller: Caller, loss: Loss, batch: Batch, pad_id: int, clues: Clues) -> None:
    """All codes of the loss.

    Args:
        caller: of the module.
        loss: as the user gave it.
        batch: its targets end in padding.
        pad_id: the padding token.
        clues: to add to.

    Raises:
        CallFailed: the loss raised.
    """
    ids = (batch.tgt,) if batch.src is None else (batch.src, batch.tgt)
    recorder = Recorder(caller.module, Tokens.of(batch))
    with recorder.watching(gradients=True):
        value = caller.run(lambda: loss(caller.module, *ids))
    if not isinstance(value, Tensor) or value.numel() != 1:
        clues.cannot_tell("loss_no_scalar", *OF_LOSS)
        return
    graph = recorder.graph
    behind = graph.behind(recorder.writers(value))
    place = _last_softmax(graph, behind)
    if place is None:
        clues.cannot_tell("loss_no_logits", *OF_LOSS)
        return
    node, dim = place
    if _lost_before(graph, behind):
        _judge_probabilities(graph, behind, node, dim, clues)
        clues.cannot_tell("rows_mixed", *OF_LOSS - JUDGED_BY_NUMBERS)
        return
    _judge_form(graph, behind, node, dim, clues)
    if clues.has("logits_reshaped"):
        clues.cannot_tell("rows_mixed", "target_not_shifted", "target_shift_wrong", "pad_in_loss")
        return
    read = node.operands[0]
    gradient: Tensor | None = None
    if read.tensor.requires_grad:
        (gradient,) = caller.run(
            lambda: torch.autograd.grad(value, read.tensor, allow_unused=True), restore=False
        )
    if gradient is None or read.labels is None:
        clues.cannot_tell(
            "loss_no_gradient", "target_not_shifted", "target_shift_wrong", "pad_in_loss"
        )
        return
    label = along(read.labels.movedim(dim, -1), -1).flatten()
    gradient = gradient.detach().float().movedim(dim, -1).flatten(0, -2)
    _judge_targets(_Rows.of(label, gradient, batch), batch, pad_id, clues)


def _last_softmax(graph: Graph, behind: set[int]) -> tuple[Node, int] | None:
    """The last operation that takes logits or their logarithms, and along which axis."""
    matrices = [index for index in behind if graph.is_linear(graph.nodes[index])]
    for index in sorted(behind, reverse=True):
        node = graph.nodes[index]
        if node.name not in SOFTMAXES | OF_LOGS or node.operands[0].labels is None:
            continue
        if node.operands[0].of_cells or any(index in graph.ancestors[m] for m in matrices):
            return None
        softmaxes = [i for i in graph.ancestors[index] if graph.nodes[i].name in SOFTMAXES]
        if node.name in OF_LOGS and any(_final(graph, i, matrices) for i in softmaxes):
            continue  # logarithms that a softmax has made
        return node, _axis(node)
    return None


def _final(graph: Graph, index: int, matrices: list[int]) -> bool:
    operand = graph.nodes[index].operands[0]
    meets = any(index in graph.ancestors[matrix] for matrix in matrices)
    return operand.labels is not None and not operand.of_cells and not meets


def _axis(node: Node) -> int:
    if node.name in SOFTMAXES:
        dim = cast(int | list[int], node.args[1])
        return dim if isinstance(dim, int) else dim[0]
    return 0 if node.operands[0].tensor.dim() == 1 else 1


def _lost_before(graph: Graph, behind: set[int]) -> bool:
    """Whether nobody knows which token a row of the logits belongs to when they are made."""
    last = max((i for i in behind if graph.mixes_features(graph.nodes[i])), default=None)
    return last is not None and _is_mixed(graph.nodes[last].output, -1)


def _judge_form(graph: Graph, behind: set[int], node: Node, dim: int, clues: Clues) -> None:
    """`softmax_before_cross_entropy`, `log_softmax_missing` and `logits_reshaped`."""
    read = node.operands[0]
    if _is_mixed(read, dim):
        clues.add("logits_reshaped", classes=read.tensor.size(dim))
        return
    for index in behind:
        given = graph.nodes[index].operands[0] if graph.nodes[index].name in OF_LOGS else read
        axis = _axis(graph.nodes[index]) if given is not read else dim
        if _is_mixed(given, axis):
            clues.add("logits_reshaped", classes=given.tensor.size(axis))
            return
    _judge_probabilities(graph, behind, node, dim, clues)


def _judge_probabilities(
    graph: Graph, behind: set[int], node: Node, dim: int, clues: Clues
) -> None:
    """`softmax_before_cross_entropy` and `log_softmax_missing`, by the numbers alone."""
    rows = node.operands[0].value.float().movedim(dim, -1)
    if node.name == "_log_softmax" and is_probabilities(rows):
        clues.add("softmax_before_cross_entropy", "probabilities_read")
    for index in behind:
        if graph.nodes[index].name not in OF_LOGS:
            continue
        given, axis = graph.nodes[index].operands[0], _axis(graph.nodes[index])
        logs = given.value.float().movedim(axis, -1)
        if is_probabilities(logs):
            clues.add("log_softmax_missing", "nll_of_probabilities")
        elif not bool(logs.logsumexp(-1).isfinite().all()):
            clues.cannot_tell("not_finite", "log_softmax_missing")
        elif not bool((logs.logsumexp(-1).abs() < 1e-2).all()):
            sums = logs.exp().sum(-1)
            clues.add(
                "log_softmax_missing",
                "nll_of_logits",
                low=float(sums.min()),
                high=float(sums.max()),
            )


def _is_mixed(operand: Operand, axis: int) -> bool:
    """Whether the classes of one row belong to several tokens."""
    labels = operand.labels
    return labels is not None and bool((along(labels.movedim(axis, -1), -1) == MIXED).any())


@dataclass(eq=False)
class _Rows:
    """What a loss asks for, [row]: only rows that count and that follow a token of the batch.

    Attributes:
        label: the token that the decoder read there.
        given: its id.
        target: the id that is asked for.
        size: of the row's gradient.
        all: of all gradients together.
    """

    label: Tensor
    given: Tensor
    target: Tensor
    size: Tensor
    all: float

    @classmethod
    def of(cls, label: Tensor, gradient: Tensor, batch: Batch) -> "_Rows":
        """Out of a gradient [row, vocab]: only the token that is asked for has it below 0."""
        size = gradient.abs().sum(-1).cpu()
        counted = (size > 1e-7 * float(size.max())) & (label >= 0)
        given = Tokens.of(batch).ids(label[counted])
        target = gradient.argmin(-1).cpu()
        return cls(label[counted], given, target[counted], size[counted], float(size.sum()))


def _judge_targets(rows: _Rows, batch: Batch, pad_id: int, clues: Clues) -> None:
    """`pad_in_loss`, `target_not_shifted` and `target_shift_wrong`."""
    padding = rows.target == pad_id
    if bool(padding.any()):
        share = float(rows.size[padding].sum()) / rows.all
        clues.add("pad_in_loss", places=int(padding.sum()), share=share)
    elif not bool((batch.tgt == pad_id).any()):
        clues.cannot_tell("no_padding_met", "pad_in_loss")
    if batch.encoder:
        return
    tokens = Tokens.of(batch)
    real = ~padding & (rows.given != pad_id)
    label, target = rows.label[real], rows.target[real]
    for shift in SHIFTS:
        inside = tokens.sentence(label) == tokens.sentence((label + shift).clamp_min(0))
        inside &= label + shift >= 0
        inside &= tokens.ids(label + shift) != pad_id  # a smoothed loss asks there for any
        if not bool(inside.any()):
            continue
        if not bool((tokens.ids(label + shift) == target)[inside].all()):
            continue
        places = int(inside.sum())
        if shift == 0:
            clues.add("target_not_shifted", places=places)
        elif shift == 1:
            _judge_kept(rows, tokens, pad_id, clues)
        else:
            evidence = "target_ahead" if shift > 1 else "target_behind"
            clues.add("target_shift_wrong", evidence, places=places, steps=abs(shift))
        return
    clues.cannot_tell("loss_no_shift", "target_not_shifted", "target_shift_wrong")


def _judge_kept(rows: _Rows, tokens: Tokens, pad_id: int, clues: Clues) -> None:
    """`pad_in_loss`: rows that padding follows are to be left out, whatever they ask for."""
    after = rows.label + 1
    inside = tokens.sentence(rows.label) == tokens.sentence(after)
    pad_rows = inside & (tokens.ids(after) == pad_id) & (rows.target != pad_id)
    if bool(pad_rows.any()) and not clues.has("pad_in_loss"):
        share = float(rows.size[pad_rows].sum()) / rows.all
        clues.add("pad_in_loss", "pad_rows_kept", places=int(pad_rows.sum()), share=share)
