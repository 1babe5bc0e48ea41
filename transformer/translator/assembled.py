"""A trace, put together from what was decoded and recorded."""

from collections.abc import Mapping

from ..checkpoint import Checkpoint
from ..decoding import Hypothesis
from ..recording.batch import Decoded, Sentence
from ..text.tokenizer import Tokenizer
from ..trace.candidates import Candidate, Glosses
from ..trace.kinds import Kind
from ..trace.representative import RepresentativeHead, with_representative_heads
from ..trace.trace import AttentionTrace


def trace_of(
    loaded: Checkpoint,
    source: str,
    read_as: str,
    sentence: Sentence,
    decoded: Decoded,
    heads: Mapping[Kind, RepresentativeHead],
) -> AttentionTrace:
    """The trace of one sentence.

    Args:
        loaded: what decoded it.
        source: the text as it was typed.
        read_as: the text as the tokenizer got it.
        sentence: what was asked for.
        decoded: what became of it.
        heads: the representative heads that the model's card names.
    """
    tokenizer, config = loaded.tokenizer, loaded.model.config
    tgt_tokenizer = loaded.tgt_tokenizer or tokenizer
    tgt_ids = decoded.hypothesis.ids
    src = tuple(tokenizer.pieces(sentence.src_ids))
    tgt_out = tuple(tgt_tokenizer.pieces(tgt_ids))
    trace = AttentionTrace(
        model=loaded.name,
        source=source,
        read_as=None if read_as == source else read_as,
        translation=tgt_tokenizer.decode(tgt_ids),
        src=src,
        tgt_in=tuple(tgt_tokenizer.pieces([config.bos_id, *tgt_ids[:-1]])),
        tgt_out=tgt_out,
        src_ids=tuple(sentence.src_ids),
        tgt_ids=tgt_ids,
        prefix_length=len(sentence.prefix),
        candidates=_candidates(decoded.hypothesis, tgt_tokenizer),
        stop_reason=decoded.hypothesis.stop_reason,
        interventions=sentence.interventions,
        sampling=sentence.sampling,
        checkpoint=loaded.hash,
        heads=heads,
        glosses=loaded.lexicon and Glosses(*loaded.lexicon.glosses(src, tgt_out)),
        **decoded.weights,  # pyright: ignore[reportArgumentType]
    )
    return with_representative_heads(trace)


def _candidates(hypothesis: Hypothesis, tokenizer: Tokenizer) -> tuple[tuple[Candidate, ...], ...]:
    return tuple(
        tuple(
            Candidate(tokenizer.piece(i), i, probability, drawn) for i, probability, drawn in step
        )
        for step in hypothesis.candidates
    )
