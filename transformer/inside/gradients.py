"""Which words a prediction would change with: gradients, at the sentence and on the way to it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ..ask.agreement import rank_correlation
from ..ask.analysis import MACHINE, Result, analysis
from ..ask.options import Perhaps, WholeNumber
from ..ask.passes import as_traced, check_step, src_of, tgt_of, without_banned
from ..ask.trainable import differentiable
from ..decoding import check_prefix
from ..errors import HeadlightError
from ..recording.hooks import attached
from ..show.maps import Figure, token_map
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..trace.words import Word, word_texts, words_of
from ..translator import Translator
from .leave_one_out import LeaveOneOut
from .why import Why

INTERVALS = 17
"""Intervals from no words to the sentence: some 3 % of what a word gets is what these round."""

TOKENS = 800
"""Tokens that are computed at a time, with what backpropagation needs of them."""

READINGS = ("input_times_gradient", "integrated_gradients")

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Gradients(Result):
    """What each word adds to a prediction, as gradients have it.

    What is explained is ln p of the emitted token; where there is another, ln p(emitted) −
    ln p(other). Positive: the word speaks for the emitted token, as with `−deltas` of
    `leave_one_out` (and of `why`, for two), whose words these are: `rank_correlation` compares.

    Attributes:
        step: from 0.
        emitted, other: labels of the tokens; `other` is None where none was asked for.
        readings: names of the rows below.
        source_words, source_pieces: the source's words and their tokens, as in `LeaveOneOut`;
            none of a decoder-only model.
        prefix_words, prefix_pieces: those that the step had read, with indices into `tgt_in`.
        source: float32 [reading, word], nats.
        prefix: float32 [reading, word], nats.
        value: what is explained, nats.
        baseline: the same where every word's embedding is 0; the positions, `<s>` and `</s>` stay.
        gap: what was missing to completeness before the rest was shared out, a share of
            value − baseline.

    Input × gradient is the slope at the sentence itself: near 0 where the model is sure, because
    a little less of a word changes nothing (saturation). Integrated gradients add the slopes all
    the way from no words to the sentence; their sum is value − baseline (completeness), interval
    by interval, since what the trapezoids miss of an interval's known difference is shared out by
    size. Neither shows what a sentence without the word would be translated to (leaving it out
    does), and sentences half-way to nothing are none that the model has met.

    Source: Simonyan et al. 2014; Shrikumar et al. 2016 (input × gradient); Sundararajan et al.
    2017, "Axiomatic Attribution for Deep Networks"; contrasted: Yin and Neubig 2022.
    """

    schema = """
    step: integer
    emitted: text
    other: text?
    readings: text [reading]
    source_words: text [source_word]
    source_pieces: integer [source_word, piece]
    prefix_words: text [prefix_word]
    prefix_pieces: integer [prefix_word, piece]
    source: float32 [reading, source_word] nats
    prefix: float32 [reading, prefix_word] nats
    value: number nats
    baseline: number nats
    gap: number share
    """

    step: int
    emitted: str
    other: str | None
    readings: tuple[str, ...]
    source_words: tuple[str, ...]
    source_pieces: tuple[Word, ...]
    prefix_words: tuple[str, ...]
    prefix_pieces: tuple[Word, ...]
    source: Weights
    prefix: Weights
    value: float
    baseline: float
    gap: float

    def agreement(self, without: LeaveOneOut | Why) -> Mapping[str, float]:
        """How far each reading orders the words as leaving them out does, as `rank_correlation`.

        Of attention, the same: `rank_correlation(by_word(trace.cross[layer, head], left.pieces),
        -left.deltas)[step]`. Where no word matters, by 0.1 nats say, an order means little.

        Args:
            without: of the same trace; of two tokens, `why` of both.
        Returns:
            by reading, −1 to 1; source words are compared, of a decoder-only model its own.
        """
        deltas = without.deltas if without.deltas.ndim == 1 else without.deltas[self.step]
        rows = self.source if self.source_words else self.prefix
        count = min(rows.shape[1], len(deltas))
        left = np.broadcast_to(-deltas[:count], (len(rows), count))
        ranked = rank_correlation(rows[:, :count], left)
        return dict(zip(self.readings, ranked.tolist(), strict=True))

    def figure(self) -> Figure:
        """A row for each reading, on a diverging scale."""
        against = f", not {self.other}" if self.other else ""
        title = f"Gradients: what speaks for {self.emitted}{against}"
        numbers = np.hstack((self.source, self.prefix))
        words = (*self.source_words, *self.prefix_words)
        rows = ["input × gradient", "integrated gradients"][: len(numbers)]
        return token_map(numbers, rows, words, title, "nats", ("source, then prefix", "reading"))


@analysis(
    needs=("steps", "gradients"),
    cost=f"3 * {INTERVALS}",
    by=MACHINE,
    step=WholeNumber(),
    token=Perhaps(WholeNumber()),
)
def gradients(
    translator: Translator, trace: AttentionTrace, step: int, token: int | None = None
) -> Gradients:
    """Input × gradient and integrated gradients of each word, for one prediction.

    Args:
        translator: whose model made the trace.
        trace: whatever was changed in it stays changed.
        step: from 0.
        token: id of a token that was not chosen: what speaks for the emitted one, and not for it.
    Raises:
        HeadlightError: there is no such step or token, or the model never emits it.
    """
    check_step(trace, step)
    label = translator.tgt_tokenizer.piece
    if token is not None:
        check_prefix([token], translator.config)
        if token in translator.config.banned_ids:
            raise HeadlightError("bad_prefix", f"{translator.name} never emits {label(token)}")
    source_pieces = words_of(trace.src)
    prefix_pieces = words_of(trace.tgt_in[: step + 1])
    path = _Path(translator, trace, step, token, source_pieces, prefix_pieces)
    values, slopes = path.at(np.linspace(0, 1, INTERVALS + 1))
    summed, gap = integrate(values, slopes)
    rows, size = read_only(np.stack((slopes[-1], summed))), len(trace.src)
    return Gradients(
        step=step,
        emitted=trace.tgt_out[step],
        other=None if token is None else label(token),
        readings=READINGS,
        source_words=word_texts(trace.src, source_pieces),
        source_pieces=tuple(source_pieces),
        prefix_words=word_texts(trace.tgt_in, prefix_pieces),
        prefix_pieces=tuple(prefix_pieces),
        source=rows_by_word(rows[:, :size], source_pieces),
        prefix=rows_by_word(rows[:, size:], prefix_pieces),
        value=float(values[-1]),
        baseline=float(values[0]),
        gap=gap,
    )


def integrate(values: Array, slopes: Array) -> tuple[Array, float]:
    """Slopes along a path, by trapezoids; each interval's sum is made to be what is known of it.

    Args:
        values: [point]: the function at points equally far apart.
        slopes: [point, token]: its slope there, along the path, by token.
    Returns:
        [token], and how much was missing before, as a share of the whole difference.
    """
    parts = (slopes[1:] + slopes[:-1]) / 2 / (len(values) - 1)
    missing = np.diff(values) - parts.sum(1)
    sizes = np.abs(parts)
    total = sizes.sum(1, keepdims=True)
    shares = np.divide(sizes, total, out=np.zeros_like(sizes), where=total > 0)
    whole = values[-1] - values[0]
    gap = float(missing.sum() / whole) if whole else 0.0
    return (parts + missing[:, None] * shares).sum(0), gap


def rows_by_word(rows: Weights, pieces: Sequence[Word]) -> Weights:
    """[reading, token] → [reading, word]."""
    columns = [rows[:, list(word)].sum(1) for word in pieces]
    return read_only(np.stack(columns, 1) if columns else np.zeros((len(rows), 0)))


def _instead(vectors: Tensor) -> Callable[..., Tensor]:
    return lambda *_: vectors


class _Path:
    """The path from the sentence without its words to the sentence."""

    def __init__(
        self,
        translator: Translator,
        trace: AttentionTrace,
        step: int,
        token: int | None,
        source: Sequence[Word],
        prefix: Sequence[Word],
    ) -> None:
        self._trace, self._able = trace, differentiable(translator)
        model, self._ids = self._able.model, (trace.tgt_ids[step], token)
        self._src = src_of(translator, trace)
        self._tgt = tgt_of(translator, trace)[:, : step + 1]
        read = {"encoder": (self._src, source), "decoder": (self._tgt, prefix)}
        self._sides: list[tuple[nn.Embedding, Tensor, Tensor]] = []
        for name, tower in model.towers().items():
            embedding, (ids, words) = tower.embedding.token, read[name]
            moves = torch.zeros(ids.size(1), 1, device=ids.device)
            moves[[piece for word in words for piece in word]] = 1
            self._sides.append((embedding, embedding(ids).detach(), moves))

    def at(self, points: Array) -> tuple[Array, Array]:
        """The value [point], and the slope along the path [point, token], source then prefix."""
        size = max(1, TOKENS // (self._src.size(1) + self._tgt.size(1)))
        parts = [self._some(points[i : i + size]) for i in range(0, len(points), size)]
        values, slopes = zip(*parts, strict=True)
        return np.concatenate(values), np.concatenate(slopes)

    def _some(self, points: Array) -> tuple[Array, Array]:
        with torch.enable_grad(), as_traced(self._able, self._trace):
            entered = list(self._entering(points))
            modules = (module for module, _, _ in self._sides)
            with attached(zip(modules, map(_instead, entered), strict=True)):
                value = self._value(len(points))
            slopes = torch.autograd.grad(value.sum(), entered)
        along = [
            (slope * vectors * moves).sum(-1)
            for slope, (_, vectors, moves) in zip(slopes, self._sides, strict=True)
        ]
        parts = torch.cat(along, 1).double().cpu().numpy()
        return value.detach().double().cpu().numpy(), parts

    def _entering(self, points: Array) -> Iterator[Tensor]:
        """Embeddings [point, token, d_model], those of words as long as a point says."""
        for _, vectors, moves in self._sides:
            scale = torch.from_numpy(points).float().to(vectors.device)[:, None, None]
            yield (vectors * (1 - moves * (1 - scale))).requires_grad_()

    def _value(self, rows: int) -> Tensor:
        """The value that is explained, [point]."""
        model, (emitted, other) = self._able.model, self._ids
        memory = model.encode(self._src.expand(rows, -1))
        state = model.states(self._tgt.expand(rows, -1), memory)[:, -1]
        logits = without_banned(self._able, model.decoder.output(state))
        if other is None:
            return logits.log_softmax(-1)[:, emitted]
        return logits[:, emitted] - logits[:, other]
