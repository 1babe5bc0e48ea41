"""Which words of two languages go together, learned from sentence pairs alone, without attention.

It is what attention's alignments are judged against where nobody has drawn gold links.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Words = Sequence[str]

ROUNDS = 6


def link_probabilities(pairs: Sequence[tuple[Words, Words]]) -> list[Array]:
    """For each word of each target, how likely each word of its source is to have made it.

    Words that keep turning up in the same pairs belong together; expectation maximisation finds
    them, starting from every link being equally likely.

    Args:
        pairs: the words of each source and of its target.
    Returns:
        For each pair, [target word, source word]; each row sums to 1.
    Source: Brown et al. 1993, "The Mathematics of Statistical Machine Translation", Model 1.
    """
    src_ids, tgt_ids = _numbering(src for src, _ in pairs), _numbering(tgt for _, tgt in pairs)
    # Every link that there could be: which target word of which pair (row), and which two words.
    rows: list[npt.NDArray[np.int64]] = []
    links: list[npt.NDArray[np.int64]] = []
    row = 0
    for src, tgt in pairs:
        sources = np.array([src_ids[word] for word in src], np.int64)
        targets = np.array([tgt_ids[word] for word in tgt], np.int64)
        links.append((targets[:, None] * len(src_ids) + sources).ravel())
        rows.append(np.repeat(np.arange(row, row + len(tgt)), len(src)))
        row += len(tgt)
    link, at = np.concatenate(links), np.concatenate(rows)
    distinct, which = np.unique(link, return_inverse=True)
    source = distinct % len(src_ids)
    translation = np.ones(len(distinct))  # p(target word | source word), up to a constant at first
    posterior = np.empty(0)
    for _ in range(ROUNDS):
        likelihood = translation[which]
        posterior = likelihood / np.bincount(at, likelihood)[at]
        count = np.bincount(which, posterior)
        translation = count / np.bincount(source, count)[source]
    ends = np.cumsum([len(src) * len(tgt) for src, tgt in pairs]).tolist()
    starts = [0, *ends[:-1]]
    return [
        posterior[start:end].reshape(len(tgt), len(src))
        for start, end, (src, tgt) in zip(starts, ends, pairs, strict=True)
    ]


def _numbering(sentences: Iterable[Words]) -> dict[str, int]:
    return {word: i for i, word in enumerate({word: None for s in sentences for word in s})}
