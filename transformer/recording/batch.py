"""Many sentences through the model side by side, each as if it were alone."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor

from ..decoding import Hypothesis, LiveRows, decode
from ..decoding.candidates import Candidates
from ..model.config import TransformerConfig
from ..model.padding import pad
from ..model.towers import Model
from ..trace.changes import is_stepwise
from ..trace.interventions import Intervention
from ..trace.kinds import KINDS, Kind, cells_of, num_layers
from ..trace.packing import Weights, read_only
from ..trace.sampling import Sampling
from .effects import Means, Where
from .hooks import intervene, record
from .steps import Steps

MAX_CELLS = 32_000_000
"""Weights (128 MB) that one batch may have; what has more comes in several."""


@dataclass(frozen=True)
class Sentence:
    """What is decoded: one row of a batch.

    Attributes:
        src_ids: ending in eos; empty for a decoder-only model.
        prefix: tokens that the target is made to begin with.
        interventions: changes to heads, that fit the model.
        sampling: how to draw; None is greedy decoding.
    """

    src_ids: Sequence[int]
    prefix: Sequence[int] = ()
    interventions: tuple[Intervention, ...] = ()
    sampling: Sampling | None = None


@dataclass(frozen=True)
class Decoded:
    """What became of a sentence; `weights` are float32 [layer, head, query, key] by kind."""

    hypothesis: Hypothesis
    weights: dict[Kind, Weights | None]


def decode_and_record(
    model: Model,
    sentences: Sequence[Sentence],
    max_steps: int = 64,
    top_k: int = 10,
    means: Means | None = None,
) -> list[Decoded]:
    """Decodes, and records the very passes that chose each token.

    Without its causal mask a decoder would see what it has not yet written. So what it says is
    decoded with the mask, and weights and candidates are those of one more pass, without it; and so
    for every change that can be made to a whole text only.

    Each sentence gets the tokens that it gets alone, unless two lie within rounding (1e-5) of one
    another, and its weights to 1e-5; nothing shows of the padding beside it.

    Args:
        model: in evaluation mode.
        sentences: of any length, each with its own interventions.
        max_steps: the most tokens to emit after each prefix.
        top_k: how many candidates to keep at every step.
        means: by kind [layer, head, d_head], for the sentences whose interventions need them.
    Raises:
        HeadlightError: a prefix or an intervention does not fit the model.
    """
    decoded: dict[int, Decoded] = {}
    for places in _parts(model.config, sentences, max_steps):
        part = [sentences[place] for place in places]
        decoded.update(zip(places, _decode_part(model, part, max_steps, top_k, means), strict=True))
    return [decoded[place] for place in range(len(sentences))]


def _parts(
    config: TransformerConfig, sentences: Sequence[Sentence], max_steps: int
) -> Iterator[list[int]]:
    """Places of sentences that go side by side: of similar length, and not too many."""
    part: list[int] = []
    src = tgt = 0
    for place in sorted(range(len(sentences)), key=lambda place: _lengths(sentences[place])):
        own_src, prefix = _lengths(sentences[place])
        src, tgt = max(src, own_src), max(tgt, min(prefix + max_steps, config.max_length))
        cells = config.num_encoder_layers * src**2 + config.num_decoder_layers * tgt * (tgt + src)
        # The hooks that change a mask, or shuffle positions, know nothing of padding.
        alone = any(not _is_stepwise(sentences[p]) for p in (*part[:1], place))
        if part and (alone or (len(part) + 1) * config.num_heads * cells > MAX_CELLS):
            yield part
            part, src, tgt = [], own_src, min(prefix + max_steps, config.max_length)
        part.append(place)
    if part:
        yield part


def _lengths(sentence: Sentence) -> tuple[int, int]:
    return len(sentence.src_ids), len(sentence.prefix)


@torch.inference_mode()
def _decode_part(
    model: Model, sentences: list[Sentence], max_steps: int, top_k: int, means: Means | None
) -> list[Decoded]:
    config, device = model.config, next(model.parameters()).device
    src = pad([sentence.src_ids for sentence in sentences], config.pad_id, device)
    live = LiveRows(len(sentences))
    steps = Steps(live)
    stepwise = [_stepwise(sentence) for sentence in sentences]
    with _intervene(model, stepwise, live, means), record(model, ("weights",), steps):
        hypotheses = decode(
            model,
            src,
            prefix=[sentence.prefix for sentence in sentences],
            sampling=[sentence.sampling for sentence in sentences],
            max_steps=max_steps,
            top_k=top_k,
            live=live,
        )
    whole: dict[Kind, Weights] = {
        kind: steps.weights_of(kind) for kind in KINDS if num_layers(config, kind)
    }
    if not _is_stepwise(sentences[0]):
        [sentence], [hypothesis] = sentences, hypotheses
        seen, hypotheses = _at_once(model, sentence, hypothesis, src, top_k, means)
        whole |= seen
    return [
        Decoded(hypothesis, _cut(whole, row, len(sentences[row].src_ids), len(hypothesis.ids)))
        for row, hypothesis in enumerate(hypotheses)
    ]


def _is_stepwise(sentence: Sentence) -> bool:
    return all(map(is_stepwise, sentence.interventions))


def _stepwise(sentence: Sentence) -> Sentence:
    """The sentence without interventions that can be done to a whole text only."""
    return replace(sentence, interventions=tuple(filter(is_stepwise, sentence.interventions)))


def _at_once(
    model: Model,
    sentence: Sentence,
    hypothesis: Hypothesis,
    src: Tensor,
    top_k: int,
    means: Means | None,
) -> tuple[dict[Kind, Weights], list[Hypothesis]]:
    """All weights over the same tokens, with all changes; and the tokens' candidates."""
    config, device = model.config, next(model.parameters()).device
    tgt_in = torch.tensor([[config.bos_id, *hypothesis.ids[:-1]]], device=device)
    changes = intervene(model, sentence.interventions, means=means)
    with changes, record(model, ("weights",)) as recording:
        logits = model.decode(tgt_in, model.encode(src))
    logits[..., list(config.banned_ids)] = -torch.inf
    candidates = Candidates(top_k, [sentence.sampling])
    candidates.add(logits, torch.tensor([hypothesis.ids], device=device), [0])
    [steps] = candidates.rows([hypothesis.ids])
    return recording.arrays(), [replace(hypothesis, candidates=steps)]


def _cut(whole: dict[Kind, Weights], row: int, src: int, tgt: int) -> dict[Kind, Weights | None]:
    """One row's weights without its padding, out of [batch, layer, head, query, key]."""
    parts: dict[Kind, Weights | None] = dict.fromkeys(KINDS)
    for kind, weights in whole.items():
        parts[kind] = read_only(weights[(row, ..., *cells_of(kind, src, tgt))])
    return parts


@contextmanager
def _intervene(
    model: Model, sentences: list[Sentence], live: LiveRows, means: Means | None
) -> Iterator[None]:
    """Each sentence's changes to its own row, while the block runs."""
    with ExitStack() as stack:
        for row, sentence in enumerate(sentences):
            if sentence.interventions:
                place = partial(where, live, row)
                stack.enter_context(intervene(model, sentence.interventions, place, means))
        yield


def where(live: LiveRows, row: int) -> Where | None:
    """Where a row of a batch lies in the pass that is under way; None if it is left out."""
    at = live.place(row)
    return None if at is None else Where(at, live.first)
