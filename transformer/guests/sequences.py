"""The tokens of what was generated: which rows are a text's, what they read, what nearly came."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ..trace.candidates import Candidate
from ..trace.guest import Cells
from .labels import marks_of, read_labels, spelled
from .tensors import array_of, in_words, shape_of
from .view import read_mask, texts_of

TOP = 5


def sequence_of(output: Any, row: int) -> tuple[list[int] | None, int]:
    """The ids of one sequence, and how many there are; None and 0 of attention alone."""
    sequences = getattr(output, "sequences", None)
    if sequences is None:
        return None, 0
    ids = array_of(sequences)
    if not 0 <= row < len(ids):
        raise ValueError(f"row={row}, but output.sequences has shape {ids.shape}")
    return [int(number) for number in ids[row]], len(ids)


def beams_of(output: Any, row: int, num_steps: int) -> list[int]:
    """The row of the batch, by step, that went on to be this sequence."""
    indices = getattr(output, "beam_indices", None)
    if indices is None:
        return [row] * num_steps
    beams = [int(number) for number in array_of(indices)[row] if number >= 0]
    return beams[:num_steps]


def target_texts(
    texts: tuple[str, ...] | None, ids: list[int] | None, keep: Cells, tokenizer: Any
) -> tuple[str, ...]:
    """The text of each token read, and of the last one that came; "" where nobody knows.

    Args:
        texts: as given: of all rows, or of those that are kept, with the last one that came or not.
        ids: of the sequence, if they are known.
        keep: which rows are no padding, bool [row].
        tokenizer: None if nobody named one.
    """
    rows, left = len(keep), int(keep.sum())
    if texts is None:
        if ids is None:
            return tuple(str(number + 1) for number in range(rows + 1))
        return names_of(ids, tokenizer)
    if len(texts) == rows:
        return (*texts, "")
    if len(texts) in (left, left + 1) and left < rows:
        given = iter(texts)
        return (*(next(given) if keeps else "" for keeps in keep), next(given, ""))
    if len(texts) < rows:
        raise ValueError(f"tokens has {len(texts)} tokens, but there are {rows} rows of attention")
    return texts[: rows + 1]


def names_of(ids: Sequence[int], tokenizer: Any) -> tuple[str, ...]:
    """What a tokenizer calls its ids; without one, the numbers."""
    if tokenizer is None:
        return tuple(map(str, ids))
    if not hasattr(tokenizer, "convert_ids_to_tokens"):
        raise ValueError(
            f"tokenizer is {in_words(tokenizer)}; expected one of transformers, such as "
            "AutoTokenizer.from_pretrained gives"
        )
    return tuple(map(str, tokenizer.convert_ids_to_tokens([*ids])))


def source_of(
    source: object, encoder_tokens: object, tokenizer: Any, length: int, row: int
) -> tuple[tuple[str, ...], list[int] | None]:
    """The labels of the source, and its ids, if they were given."""
    ids: list[int] | None = None
    texts: tuple[str, ...] | None = texts_of("encoder_tokens", encoder_tokens)
    if hasattr(source, "keys"):
        raise ValueError(f"source is {in_words(source)}; expected its input_ids")
    if source is not None:
        listed = cast(Sequence[Any], source) if isinstance(source, Sequence) else ()
        first: object = listed[0] if listed else None
        if isinstance(first, str):
            texts = texts_of("source", listed) if texts is None else texts
        else:
            numbers: npt.NDArray[Any] = array_of(cast(object, source), "source")
            numbers = numbers[row] if numbers.ndim == 2 else numbers
            if numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer):
                raise ValueError(
                    f"source is {in_words(numbers)}; expected the ids, or tokens, of a text"
                )
            ids = [int(number) for number in numbers]
            texts = names_of(ids, tokenizer) if texts is None else texts
    if texts is None:
        texts = tuple(str(number + 1) for number in range(length))
    if len(texts) != length:
        raise ValueError(f"source has {len(texts)} tokens, but cross_attentions ask for {length}")
    return texts, ids


def item_of(mask: object, row: int, count: int) -> int:
    """Where a batch's own mask has the text of a sequence, of which there may be several a text."""
    shape = shape_of(mask) if mask is not None else ()
    return row * shape[0] // count if len(shape) == 2 and count else 0


def not_padding(ids: Sequence[int], tokenizer: Any) -> Cells | None:
    """Which ids are no padding, bool [token]; None if the tokenizer has no padding token."""
    pad = getattr(tokenizer, "pad_token_id", None)
    return None if pad is None else np.array([number != pad for number in ids])


def kept_rows(
    mask: object, ids: list[int] | None, tokenizer: Any, at: int, prompt: int, rows: int
) -> Cells:
    """Which rows of a decoder are no padding, bool [row].

    A mask says so, or a tokenizer's id of padding before a prompt.

    Args:
        mask: of the prompt, or of all that was read; None if nobody said.
        ids: of the sequence, if they are known.
        tokenizer: None if nobody named one.
        at: which text of the mask's batch.
        prompt: how many rows the prompt has.
        rows: how many there are.
    """
    keep = np.ones(rows, bool)
    masked = read_mask(mask, at)
    if masked is not None:
        if len(masked) not in (prompt, rows, rows + 1):
            raise ValueError(
                f"attention_mask has {len(masked)} tokens, but the prompt has {prompt}"
            )
        keep[: len(masked)] = masked[:rows]
        return keep
    pad = getattr(tokenizer, "pad_token_id", None)
    if pad is not None and ids is not None:
        keep[: next((at for at, number in enumerate(ids) if number != pad), 0)] = False
    return keep


def end_of(ids: list[int] | None, rows: int, prompt: int, tokenizer: Any) -> int:
    """How many rows there are before what fills up a text that ended before its neighbours."""
    eos = getattr(tokenizer, "eos_token_id", None)
    if ids is None or eos is None:
        return rows
    return next((at for at in range(prompt, len(ids)) if ids[at] == eos), rows)


def candidates_of(
    output: Any,
    beams: Sequence[int],
    ids: Sequence[int],
    prompt: int,
    prettify: bool,
    tokenizer: Any,
) -> tuple[tuple[Candidate, ...], ...]:
    """The likeliest tokens by row, and the one that came, by the model's logits or its scores."""
    scores = getattr(output, "logits", None) or getattr(output, "scores", None)
    if not scores:
        return ()
    rows: list[tuple[Candidate, ...]] = [()] * (prompt - 1)
    marks = marks_of(tokenizer)
    for step, emitted in enumerate(ids[prompt:]):
        row = array_of(scores[step][beams[step]]).astype(np.float64)
        shares = np.exp(row - row.max())
        shares /= shares.sum()
        best = [int(number) for number in np.argsort(-shares, kind="stable")[:TOP]]
        best += [emitted] if emitted not in best else []
        names = read_labels(names_of(best, tokenizer), prettify=prettify, marks=marks).shown
        pairs = zip(names, best, strict=True)
        rows.append(tuple(Candidate(name, it, float(shares[it])) for name, it in pairs))
    return tuple(rows)


def decoded(tokenizer: Any, ids: Sequence[int] | None, labels: Sequence[str]) -> str:
    """The text that ids, or labels, spell."""
    if tokenizer is not None and ids is not None and hasattr(tokenizer, "decode"):
        return str(tokenizer.decode([*ids], skip_special_tokens=True))
    return spelled(labels)
