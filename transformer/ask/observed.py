"""Attention over many sentences: what a model does on a corpus, one sentence after another.

A trace is one of these too, so whatever is measured here can be asked of a single trace.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import torch

from ..model.masks import padding_mask
from ..model.padding import pad
from ..model.towers import Model
from ..recording.hooks import record
from ..trace.attended import Observed
from ..trace.candidates import Glosses
from ..trace.kinds import Kind, cells_of
from ..trace.packing import Weights
from ..translator import Translator

Ids = Sequence[int]

ROWS = 32
"""Sentences that are read at a time."""


def observe(translator: Translator, pairs: Iterable[tuple[Ids, Ids]]) -> Iterator[Observed]:
    """Reads a corpus with its targets forced, a few sentences at a time: memory stays flat.

    Args:
        translator: whose model reads it.
        pairs: ids of each sentence: the source, ending in `</s>` (empty for a decoder-only model),
            and the target, starting with `<s>` and ending in `</s>`.
    """
    remaining = iter(pairs)
    while batch := list(islice(remaining, ROWS)):
        recorded = _read(translator.model, batch)
        for row, (src, tgt) in enumerate(batch):
            tokens = tuple(translator.tgt_tokenizer.pieces(tgt))
            source = tuple(translator.tokenizer.pieces(src))
            lexicon = translator.lexicon
            yield Observed(
                source,
                tokens[:-1],
                tokens[1:],
                {
                    kind: weights[(row, ..., *cells_of(kind, len(src), len(tgt) - 1))]
                    for kind, weights in recorded.items()
                },
                lexicon and Glosses(*lexicon.glosses(source, tokens[1:])),
            )


def _read(model: Model, batch: Sequence[tuple[Ids, Ids]]) -> dict[Kind, Weights]:
    """Weights by kind, [batch, layer, head, query, key]."""
    device, pad_id = next(model.parameters()).device, model.config.pad_id
    src = pad([source for source, _ in batch], pad_id, device)
    tgt = pad([target[:-1] for _, target in batch], pad_id, device)
    mask = padding_mask(src, pad_id)
    with torch.inference_mode(), record(model) as recording:
        # Padding stands at the end, so the causal mask keeps every real row from it.
        model.decode(tgt, model.encode(src, mask), src_mask=mask)
    return recording.arrays()
