"""What `inside` says of a trace, as JSON for the page. NaN, which JSON has not, travels packed."""

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from .. import inside
from ..errors import HeadlightError
from ..inside.words import word_texts, words_of
from ..recording.kinds import KINDS, Kind
from ..recording.packing import pack
from ..recording.trace import AttentionTrace
from ..translator import Translator
from .options import Options, whole_number


def words(_: Translator, trace: AttentionTrace, __: Options) -> dict[str, Any]:
    """The words of both sides: their texts, and the indices of their tokens."""
    found: dict[str, Any] = {}
    for side, labels in (("src", trace.src), ("tgt_in", trace.tgt_in), ("tgt_out", trace.tgt_out)):
        pieces = words_of(labels)
        found[side] = {"words": word_texts(labels, pieces), "pieces": pieces}
    return found


def leave_one_out(translator: Translator, trace: AttentionTrace, _: Options) -> dict[str, Any]:
    """Words and deltas [tgt, word]."""
    found = inside.leave_one_out(translator, trace)
    return {"words": found.words, "pieces": found.pieces, "deltas": exact(found.deltas)}


def contributions(translator: Translator, trace: AttentionTrace, _: Options) -> dict[str, Any]:
    """What came from where: source [tgt, src] and prefix [tgt, tgt]."""
    found = inside.contributions(translator, trace)
    source = None if found.source is None else exact(found.source)
    return {"source": source, "prefix": exact(found.prefix)}


def value_norms(translator: Translator, trace: AttentionTrace, options: Options) -> dict[str, Any]:
    """Of the heads of one kind, [layer, head, query, key]."""
    kind = kind_in(trace, options)
    found = inside.value_norms(translator, trace).of(kind)
    assert found is not None
    return {"norms": pack(found, "float16")}


def value_zeroing(
    translator: Translator, trace: AttentionTrace, options: Options
) -> dict[str, Any]:
    """Of the layers of one kind, [layer, query, key]."""
    kind = kind_in(trace, options)
    found = inside.value_zeroing(translator, trace).of(kind)
    assert found is not None
    return {"shares": pack(found[:, None], "float16")}


def why(translator: Translator, trace: AttentionTrace, options: Options) -> dict[str, Any]:
    """What speaks for the emitted token of a step, and what for another one, [reading, word]."""
    step, token = whole_number(options, "step"), whole_number(options, "token")
    found = inside.why(translator, trace, step, token)
    layers = range(len(found.value_zeroing))
    return {
        "emitted": found.emitted,
        "other": found.other,
        "words": found.words,
        "readings": [
            {"name": "leave_one_out", "layer": None},
            *({"name": "value_zeroing", "layer": layer} for layer in layers),
            {"name": "direct", "layer": None},
        ],
        "deltas": exact(np.vstack((found.deltas, found.value_zeroing, found.direct.sum(0)))),
    }


def lens(translator: Translator, trace: AttentionTrace, _: Options) -> dict[str, Any]:
    """What each decoder layer would say, [layer, tgt]."""
    found = inside.lens(translator, trace)
    return {
        "tokens": found.tokens,
        "probability": exact(found.probability),
        "emitted": exact(found.emitted),
        "rank": found.rank.tolist(),
    }


def decoder_lens(translator: Translator, trace: AttentionTrace, _: Options) -> dict[str, Any]:
    """The translation from each encoder layer."""
    found = inside.decoder_lens(translator, trace)
    return {
        "translations": found.translations,
        "tokens": found.tokens,
        "stop_reasons": found.stop_reasons,
    }


def residual(translator: Translator, trace: AttentionTrace, _: Options) -> dict[str, Any]:
    """How long each token's vector is after every sublayer, [sublayer, token]."""
    found = inside.residual(translator, trace)
    return {
        "encoder_sublayers": found.encoder_sublayers,
        "encoder": None if found.encoder is None else exact(found.encoder),
        "decoder_sublayers": found.decoder_sublayers,
        "decoder": exact(found.decoder),
    }


def rollout(_: Translator, trace: AttentionTrace, __: Options) -> dict[str, Any]:
    """Attention multiplied through the layers, [layer, token, token]."""
    found = inside.rollout(trace)
    return {"tokens": found.tokens, "weights": pack(found.weights[:, None], "float16")}


def kind_in(trace: AttentionTrace, options: Options) -> Kind:
    """The kind that is asked for.

    Raises:
        HeadlightError: there is none of this name in the trace.
    """
    for kind in KINDS:
        if kind == options.get("kind") and trace.weights(kind) is not None:
            return kind
    raise HeadlightError("bad_request", "The trace has no such kind of attention.")


def exact(array: npt.NDArray[Any]) -> dict[str, Any]:
    """An array as float32, packed."""
    return pack(cast(npt.NDArray[np.float32], array), "float32")
