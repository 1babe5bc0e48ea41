"""Where the page opens: on the weights whose strongest cell the eye agrees with."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..checkpoint.lexicon import Lexicon
from ..trace.head_names import Opening, Row, head_name, layer_name
from ..trace.trace import AttentionTrace
from ..trace.words import word_texts, words_of
from ..translator import TraceRequest, Translator

CLEARLY = 0.15
"""Share of words by which a head that looks at the word just read must beat one that looks at that
to come: an eye takes a dark cell for where the next word comes from, and must be told otherwise."""

SENTENCES = 800
BATCH = 32

Hits = Mapping[str, float]


def opening_of(translator: Translator, sources: Sequence[str]) -> Opening | None:
    """Where to open, by the lexicon: over what the model makes of these sentences.

    Of every word whose lexicon's word stands in the source, one looks whether the strongest cell of
    the row that predicts it (its first piece), or of the next one, which reads it, is on that word.
    The page opens on the head, or the mean of a layer's heads, that most often does so by the row
    that predicts; or on the head that does by the row that reads, if it does so `CLEARLY` more
    often. The mean over all layers is no candidate: it joins layers that look at the one with such
    that look at the other, so that its rows have two dark cells.

    Args:
        translator: of two languages that its lexicon knows, or of one: then a word is itself.
        sources: what to translate; `SENTENCES` from all over them are.
    Returns:
        None if no word of them is known.
    """
    predicts, reads = meetings(translator, sources)
    if not predicts:
        return None
    alone = [name for name in reads if "H" in name]
    best: dict[Row, str] = {
        "predicts": max(predicts, key=predicts.__getitem__),
        "reads": max(alone, key=reads.__getitem__),
    }
    written, read = predicts[best["predicts"]], reads[best["reads"]]
    row: Row = "reads" if read > written + CLEARLY else "predicts"
    meets, other = (read, written) if row == "reads" else (written, read)
    return Opening(best[row], row, round(meets, 3), round(other, 3))


def meetings(translator: Translator, sources: Sequence[str]) -> tuple[Hits, Hits]:
    """The share of words at which each head, or a layer's mean, meets the lexicon's word.

    Returns:
        By the row that predicts the word, and by the one that reads it; by names such as "L2H4" and
        "L2.mean". Empty if no word is known.
    """
    chosen = sources[:: max(1, len(sources) // SENTENCES)][:SENTENCES]
    hits: list[npt.NDArray[np.bool_]] = []  # of each word [row, layer, head and mean]
    for start in range(0, len(chosen), BATCH):
        requests = [TraceRequest(source) for source in chosen[start : start + BATCH]]
        for trace in translator.traces(requests, top_k=0):
            if isinstance(trace, AttentionTrace):
                hits.extend(_hits(translator.lexicon, trace))
    if not hits:
        return {}, {}
    shares = np.mean(hits, 0)
    layers, columns = shares.shape[1:]
    names = [
        layer_name(layer) if head == columns - 1 else head_name(layer, head)
        for layer in range(layers)
        for head in range(columns)
    ]
    by_row = [dict(zip(names, map(float, row.ravel()), strict=True)) for row in shares]
    return by_row[0], by_row[1]


def _hits(lexicon: Lexicon | None, trace: AttentionTrace) -> Iterator[npt.NDArray[np.bool_]]:
    assert trace.cross is not None
    src_words, tgt_words = words_of(trace.src), words_of(trace.tgt_out)
    src_texts = word_texts(trace.src, src_words)
    with_means = np.concatenate((trace.cross, trace.cross.mean(1, keepdims=True)), 1)
    strongest = with_means.argmax(-1)  # [layer, head and mean, tgt]
    for word, text in zip(tgt_words, word_texts(trace.tgt_out, tgt_words), strict=True):
        cells = [
            piece
            for pieces, own in zip(src_words, src_texts, strict=True)
            if (lexicon.linked(own, text) if lexicon else own == text)
            for piece in pieces
        ]
        row = word[0]
        # The last token that was written is never read.
        if cells and row + 1 < len(trace.tgt_in):
            yield np.isin(np.stack((strongest[..., row], strongest[..., row + 1])), cells)
