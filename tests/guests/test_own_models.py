"""Our own models, written as transformers' Marian and read as guests, against our own traces."""

from typing import Any

import numpy as np
import pytest
import torch

from tests.guests.marian import OurTokenizer, as_marian
from transformer import AttentionTrace, Translator
from transformer.guests.hugging_face.guest import HuggingFaceModel

SOURCES = {"en-zh": "She gave him a red flower.", "tang": "秋风过竹楼，"}


@pytest.mark.parametrize("name", [*SOURCES])
@pytest.mark.parametrize("changes", [(), ("decoder_self.L2H3=zero", "decoder_self.L1@3=aim:1,2")])
def test_a_model_of_ours_is_the_same_as_a_guest(name: str, changes: tuple[str, ...]) -> None:
    # Weights that are read as float16 differ by more than is compared here.
    translator = Translator.load(name)
    words: Any = OurTokenizer(translator)
    own = translator.trace(SOURCES[name], interventions=changes, max_steps=20)
    with torch.no_grad(), HuggingFaceModel(as_marian(translator), words, name) as guest:
        theirs = guest.trace(SOURCES[name], interventions=changes, max_steps=20)
    assert theirs.tgt_ids == own.tgt_ids
    assert theirs.stop_reason == own.stop_reason
    assert theirs.translation == own.translation
    assert [tuple(it.id for it in step[:1]) for step in theirs.candidates] != []
    assert distance(own, theirs) <= 1e-5


def distance(own: AttentionTrace, theirs: AttentionTrace) -> float:
    pairs = [(weights, theirs.of(kind)) for kind, weights in own.present()]
    return max(float(np.abs(one - other).max()) for one, other in pairs if other is not None)
