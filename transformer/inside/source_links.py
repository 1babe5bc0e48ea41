"""Which source words stand for a target word: what a cross-attention head that aligns looks at."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..checkpoint.lexicon import holds
from ..trace.candidates import Glosses
from ..trace.words import is_punctuation, word_texts, words_of

Cells = npt.NDArray[np.bool_]
Aligned = Literal["written", "read"]


def aligned_cells(
    src: Sequence[str], tgt_out: Sequence[str], glosses: Glosses | None
) -> dict[Aligned, Cells]:
    """Where the row of each step meets the source of the word that it writes, or has just read.

    By the lexicon, of which glosses are what it says of these words; without one a word stands for
    itself, as in a toy that spells. A cell with both names, of a word written in several pieces or
    twice, speaks for neither.

    Args:
        src: labels of the source's tokens.
        tgt_out: labels of what each step emits.
        glosses: of both; None without a lexicon.
    Returns:
        By name bool [step, source token].
    """
    linked = np.zeros((len(tgt_out), len(src)), np.bool_)
    src_words, tgt_words = words_of(src), words_of(tgt_out)
    src_texts, tgt_texts = word_texts(src, src_words), word_texts(tgt_out, tgt_words)
    for pieces, text in zip(tgt_words, tgt_texts, strict=True):
        for own, word in zip(src_words, src_texts, strict=True):
            if is_punctuation(text) or is_punctuation(word):
                continue
            if glosses is None:
                same = text.casefold() == word.casefold()
            else:
                of_src, of_tgt = glosses.src[own[0]], glosses.tgt[pieces[0]]
                same = (of_src is not None and holds(text, of_src)) or (
                    of_tgt is not None and holds(word, of_tgt)
                )
            if same:
                linked[np.ix_(pieces, own)] = True
    read = np.zeros_like(linked)
    read[1:] = linked[:-1]
    return {"written": linked & ~read, "read": read & ~linked}
