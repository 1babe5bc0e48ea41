"""The arithmetic behind a weight gives that weight, for every head there is."""

import math
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny import num_hooks, tiny_checkpoint
from transformer import HeadlightError, Tokenizer, Translator, checkpoint
from transformer.inside.arithmetic import WorkedOut, work_out
from transformer.trace.kinds import KINDS, Kind
from transformer.trace.trace import AttentionTrace

SOURCE = "I love you."

MARIAN = {
    "scale_embeddings": True,
    "tied_embeddings": "all",
    "positions": "concatenated",
    "activation": "silu",
    "output_bias": True,
}

SHAPES: list[dict[str, Any]] = [
    {},
    {"norm_placement": "pre", "final_norms": True, "num_heads": 2, "num_encoder_layers": 3},
    {"num_encoder_layers": 0, "num_decoder_layers": 3},
    MARIAN | {"d_model": 24, "num_heads": 8},
]


def reproduce(head: WorkedOut, kind: Kind) -> Any:
    """The weights from queries and keys alone, by sums that a person could do."""
    num_queries, num_keys = len(head.query), len(head.key)
    weights = np.zeros((num_queries, num_keys))
    for q in range(num_queries):
        allowed = range(q + 1) if kind == "decoder_self" else range(num_keys)
        scores = [
            sum(float(a) * float(b) for a, b in zip(head.query[q], head.key[k], strict=True))
            / math.sqrt(len(head.query[q]))
            for k in allowed
        ]
        terms = [math.exp(score - max(scores)) for score in scores]
        weights[q, : len(terms)] = [term / sum(terms) for term in terms]
    return weights


def heads_of(trace: AttentionTrace) -> list[tuple[Kind, int, int]]:
    return [
        (kind, layer, head)
        for kind in KINDS
        if (weights := trace.weights(kind)) is not None
        for layer in range(weights.shape[0])
        for head in range(weights.shape[1])
    ]


@pytest.mark.parametrize("changes", SHAPES, ids=["tiny", "pre-norm", "decoder-only", "marian"])
def test_every_weight_can_be_worked_out(
    tokenizer: Tokenizer, tmp_path: Path, changes: dict[str, Any]
) -> None:
    checkpoint.save(tmp_path / "it", tiny_checkpoint(tokenizer, max_length=32, **changes))
    translator = Translator.load(tmp_path / "it", device="cpu")  # its linear layers read float16
    trace = translator.trace(SOURCE, max_steps=6)
    heads = heads_of(trace)
    assert len(heads) >= 6
    for kind, layer, head in heads:
        shown = trace.weights(kind)
        assert shown is not None
        arithmetic = work_out(translator, SOURCE, trace.tgt_ids, kind, layer, head)
        # One pass over all rows, and the passes that chose them one by one, round differently.
        np.testing.assert_allclose(arithmetic.weights, shown[layer, head], atol=5e-6)
        np.testing.assert_allclose(reproduce(arithmetic, kind), shown[layer, head], atol=1e-5)


def test_the_scores_are_the_scaled_products(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=5)
    arithmetic = work_out(translator, SOURCE, trace.tgt_ids, "cross", 1, 2)
    d_head = arithmetic.query.shape[1]
    np.testing.assert_allclose(
        arithmetic.scores, arithmetic.query @ arithmetic.key.T / d_head**0.5, atol=1e-5
    )
    assert arithmetic.value.shape == arithmetic.key.shape == (len(trace.src), d_head)


def test_an_intervention_shows_in_what_it_changed(translator: Translator) -> None:
    changes = ["cross.L2H3=uniform"]
    trace = translator.trace(SOURCE, max_steps=5, interventions=changes)
    assert trace.cross is not None
    arithmetic = work_out(translator, SOURCE, trace.tgt_ids, "cross", 1, 2, changes)
    np.testing.assert_array_equal(arithmetic.weights, trace.cross[1, 2])
    assert not arithmetic.scores.any()


def test_nothing_stays_on_the_model_and_threads_do_not_mix(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=5)
    expected = {kind: work_out(translator, SOURCE, trace.tgt_ids, kind, 0, 1) for kind in KINDS}
    wrong: list[Kind] = []

    def ask(kind: Kind) -> None:
        for _ in range(20):
            arithmetic = work_out(translator, SOURCE, trace.tgt_ids, kind, 0, 1)
            if not np.array_equal(arithmetic.query, expected[kind].query):
                wrong.append(kind)

    threads = [threading.Thread(target=ask, args=(kind,)) for kind in KINDS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert num_hooks(translator.model) == 0


@pytest.mark.parametrize(
    ("kind", "layer", "head", "ids", "code"),
    [
        ("cross", 2, 0, None, "unknown_head"),
        ("cross", -1, 0, None, "unknown_head"),
        ("cross", 0, 4, None, "unknown_head"),
        ("cross", 0, 0, [10**6], "bad_prefix"),
        ("cross", 0, 0, [5] * 65, "prefix_too_long"),
    ],
)
def test_what_there_is_none_of_is_refused(
    translator: Translator, kind: Kind, layer: int, head: int, ids: list[int] | None, code: str
) -> None:
    target = ids or translator.trace(SOURCE, max_steps=3).tgt_ids
    with pytest.raises(HeadlightError) as refused:
        work_out(translator, SOURCE, target, kind, layer, head)
    assert refused.value.code == code


def test_a_decoder_alone_has_no_cross_attention(continuer: Translator) -> None:
    target = continuer.trace(SOURCE, max_steps=3).tgt_ids
    with pytest.raises(HeadlightError, match="0 layers"):
        work_out(continuer, SOURCE, target, "cross", 0, 0)
