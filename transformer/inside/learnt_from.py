"""Where a model may have learnt a word: lines of its training text that it reads like this one."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from ..ask.analysis import MACHINE, Result, analysis
from ..ask.options import WholeNumber
from ..ask.passes import as_traced, check_step, src_of, tgt_of
from ..checkpoint.own_text import Line, own_text
from ..model.masks import padding_mask
from ..model.padding import pad
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..translator import Translator

LINES = 200
"""Lines that share most words with the sentence: those alone are read."""

SHOWN = 5

ROWS = 25
"""Lines that are read at a time, of about the same length."""

PASSES = 100
"""The cost of that, in passes over a sentence's tokens."""


@dataclass(frozen=True, kw_only=True)
class NearestLine(Result):
    """A line, and the token in it at which the decoder's state is nearest.

    Attributes:
        file, line: where it stands; lines count from 1.
        source, target: its texts.
        tokens: labels of the target's tokens, `</s>` included.
        at: the token, from 0, that is about to be written.
        similarity: of both states, their cosine, −1 to 1.
        same_token: whether it is the one that the trace writes.
        same_sentence: whether the line's source is the trace's, case aside.
    """

    file: str
    line: int
    source: str
    target: str
    tokens: tuple[str, ...]
    at: int
    similarity: float
    same_token: bool
    same_sentence: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class LearntFrom(Result):
    """Lines on which the model was in nearly the state in which it writes a token of the trace.

    Attributes:
        step: from 0.
        token: label of what is being written.
        lines: the five nearest lines, or all there are, the nearest first.
        searched: lines of the model's text that lie here.
        read: how many of them were read: those that share most words with the sentence.
        holding: how many of all have the token's text in their target.
        similarities: float32 [read]: of each line that was read, its nearest state's, the largest
            first.
        others: by language, what the model has learnt from that does not lie here.

    A near state says that the model treats both places alike, not that it learnt this one from that
    line: what taught it may lie among the others, or be many lines at once. Only training anew
    without a line would tell.

    Source: Strobelt et al. 2018, "Seq2Seq-Vis" (nearest decoder states over a training set).
    """

    schema = """
    step: integer
    token: text
    lines: NearestLine [line]
    searched: integer
    read: integer
    holding: integer
    similarities: number [line_read] cosine
    others: text {language}
    """

    step: int
    token: str
    lines: tuple[NearestLine, ...]
    searched: int
    read: int
    holding: int
    similarities: Weights
    others: Mapping[str, str]


@analysis(
    needs=("steps", "states", "training_text"),
    cost=str(PASSES),
    by=MACHINE,
    step=WholeNumber(),
    ours_alone="no text that it was trained on has come along",
)
def learnt_from(translator: Translator, trace: AttentionTrace, step: int) -> LearntFrom:
    """The lines of a model's own training text nearest to a step of a trace.

    Args:
        translator: whose model made the trace.
        trace: whatever was changed in it stays changed; the lines are read as they are.
        step: from 0.
    Raises:
        HeadlightError: there is no such step, or no line of the model's text lies here.
    """
    check_step(trace, step)
    text = own_text(translator.name, translator.card)
    near = [text.lines[place] for place in text.index.nearest(trace.read_as or trace.source, LINES)]
    with torch.inference_mode():
        with as_traced(translator, trace):
            memory = translator.model.encode(src_of(translator, trace))
            tgt_in = tgt_of(translator, trace)[:, : step + 1]
            state = translator.model.states(tgt_in, memory)[0, -1]
        nearest = _compare(translator, near, state, trace, step)
    written = translator.tgt_tokenizer.decode([trace.tgt_ids[step]]).strip()
    return LearntFrom(
        step=step,
        token=trace.tgt_out[step],
        lines=tuple(nearest[:SHOWN]),
        searched=len(text.lines),
        read=len(nearest),
        holding=sum(written in line.target for line in text.lines) if written else 0,
        similarities=read_only(torch.tensor([each.similarity for each in nearest]).numpy()),
        others=text.others,
    )


def _compare(
    translator: Translator, lines: list[Line], state: Tensor, trace: AttentionTrace, step: int
) -> list[NearestLine]:
    """Every line at the token whose state is nearest, the nearest line first."""
    config, tgt_ids = translator.config, translator.tgt_tokenizer
    read: list[tuple[Line, list[int], list[int]]] = []
    for line in lines:
        src = [*translator.encode(line.source), config.eos_id]
        tgt = [config.bos_id, *tgt_ids.encode(line.target), config.eos_id]
        if max(len(src), len(tgt) - 1) <= config.max_length:
            read.append((line, src, tgt))
    read.sort(key=lambda each: len(each[1]) + len(each[2]))
    nearest: list[NearestLine] = []
    for start in range(0, len(read), ROWS):
        some = read[start : start + ROWS]
        src = pad([src for _, src, _ in some], config.pad_id, translator.device)
        tgt = pad([tgt[:-1] for _, _, tgt in some], config.pad_id, translator.device)
        mask = padding_mask(src, config.pad_id)
        memory = translator.model.encode(src, mask)
        # Padding stands at the end, so the causal mask keeps every real row from it.
        states = translator.model.states(tgt, memory, src_mask=mask)
        near = torch.cosine_similarity(states, state, dim=-1)
        for row, (line, _, ids) in enumerate(some):
            at = int(near[row, : len(ids) - 1].argmax())
            nearest.append(
                NearestLine(
                    file=line.file,
                    line=line.number,
                    source=line.source,
                    target=line.target,
                    tokens=tuple(tgt_ids.pieces(ids[1:])),
                    at=at,
                    similarity=float(near[row, at]),
                    same_token=ids[1 + at] == trace.tgt_ids[step],
                    same_sentence=line.source.casefold() == trace.source.strip().casefold(),
                )
            )
    return sorted(nearest, key=lambda each: -each.similarity)
