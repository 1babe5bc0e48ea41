"""What enters a block of the model and what leaves it, for every token of a trace."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..ask.analysis import Result, analysis
from ..ask.options import Text
from ..ask.passes import without_banned
from ..errors import HeadlightError
from ..recording.hooks import attached
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..translator import Translator
from .anatomy import Tap, blocks


@dataclass(frozen=True, kw_only=True, eq=False)
class Flow(Result):
    """A block's vectors, a row for each token of its tower, all of it float32.

    Attributes:
        block: its name, as `blocks` has it.
        parts: by name: `enters` and `leaves` for most blocks, [length, d_model]. An embedding has
            `looked_up` instead of `enters`; positions and residuals have what is `added`;
            attention has its `heads`, their outputs side by side, and cross-attention the `memory`
            [src, d_model] that it reads; a feed-forward network its `inner` layer after the
            activation, [length, d_ff]. The output projection leaves the `logits` of the trace's
            candidates, [tgt, candidates], NaN where a step has fewer, and `log_sum` [tgt, 1], the
            logarithm of the sum over the whole vocabulary of exp(logit).
    """

    schema = """
    block: text
    parts: float32 {part} [row, column]
    """

    block: str
    parts: Mapping[str, Weights]


@analysis(
    needs=("states",),
    block=Text(),
    ours_alone="taking an attention's sum apart needs norms that only our own models tell",
)
def flow(translator: Translator, trace: AttentionTrace, block: str) -> Flow:
    """One teacher-forced pass over a trace, read off around one block.

    Args:
        translator: whose model made the trace.
        trace: whatever was changed in it stays changed.
        block: a name that `blocks` has.
    Raises:
        HeadlightError: the model has no such block.
    """
    by_name = blocks(translator.model)
    if block not in by_name:
        raise HeadlightError("bad_request", f"This model has no block {block[:80]!r}.")
    parts: dict[str, Tensor] = {}
    hooks = [(tap[0], _reader(parts, name, tap)) for name, tap in by_name[block].taps.items()]
    with attached(hooks):
        translator.replay(trace.source, trace.tgt_ids, trace.interventions, ())
    parts = {name: parts[name][0] for name in by_name[block].taps}
    if block.endswith(".position"):
        parts["added"] = parts["leaves"] - parts["enters"]
    if block == "decoder.output":
        parts |= _logits(translator, trace, parts.pop("leaves"))
    return Flow(
        block=block, parts={name: read_only(each.cpu().numpy()) for name, each in parts.items()}
    )


def _reader(parts: dict[str, Tensor], name: str, tap: Tap) -> Callable[..., None]:
    _, argument = tap

    def read(_module: nn.Module, args: tuple[Tensor, ...], output: Tensor) -> None:
        parts[name] = (output if argument is None else args[argument]).detach()

    return read


def _logits(translator: Translator, trace: AttentionTrace, logits: Tensor) -> dict[str, Tensor]:
    """The logits of each step's candidates, out of all [tgt, vocab]."""
    logits = without_banned(translator, logits)
    most = max(len(step) for step in trace.candidates)
    padded = logits.new_full((len(trace.candidates), most), torch.nan)
    for step, candidates in enumerate(trace.candidates):
        padded[step, : len(candidates)] = logits[step, [each.id for each in candidates]]
    return {"logits": padded, "log_sum": logits.logsumexp(-1, keepdim=True)}
