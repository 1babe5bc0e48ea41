"""Representative heads: found among heads made by hand, and on a model of known alignment."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny import SENTENCES, tiny_checkpoint
from transformer import Tokenizer, Translator, checkpoint
from transformer.ask.observed import observe
from transformer.inside.alignment import ROWS, GoldLinks
from transformer.measure.lexicon import link_probabilities
from transformer.measure.representative import (
    as_card,
    measure_by_examples,
    representative_heads_over,
)
from transformer.trace.attended import Observed
from transformer.trace.head_names import RepresentativeHead, head_name, read_representative_heads
from transformer.trace.kinds import KINDS, Kind, num_layers
from transformer.trace.representative import UNCLEAR, alignment_scores, representative_heads
from transformer.training.data import Text, encode
from transformer.training.score_alignment import score_alignment

WORDS = dict(
    zip(
        ["cat", "dog", "eats", "sees", "red", "fish", "now", "here", "small", "he"],
        ["chat", "chien", "mange", "voit", "rouge", "poisson", "maintenant", "ici", "petit", "il"],
        strict=True,
    )
)


def pairs(count: int, seed: int = 0) -> list[tuple[tuple[str, ...], tuple[str, ...], list[int]]]:
    """Sentences, word-for-word translations in another order, and where each word came from."""
    generator = random.Random(seed)
    examples = []
    for _ in range(count):
        src = tuple(generator.sample(sorted(WORDS), generator.randint(3, 7)))
        order = generator.sample(range(len(src)), len(src))
        examples.append((src, tuple(WORDS[src[i]] for i in order), order))
    return examples


def crossing(count: int) -> list[Observed]:
    """Heads: one aligns the word it reads, others rest on </s> or the first word, or follow the
    diagonal; the second layer's first head aligns the word it predicts, but vaguely."""
    observations = []
    for src, tgt, order in pairs(count):
        num_keys, num_queries = len(src) + 1, len(tgt) + 1
        aligned = np.eye(num_keys)[[num_keys - 1, *order]]  # row t reads word t
        end = np.eye(num_keys)[[num_keys - 1] * num_queries]
        first = np.eye(num_keys)[[0] * num_queries]
        diagonal = np.eye(num_queries)
        vague = 0.5 * np.eye(num_keys)[[*order, num_keys - 1]] + 0.5 / num_keys
        cross = np.array([[end, aligned, first], [vague, diagonal, end]], np.float32)
        tokens = ("<s>", *tgt, "</s>")
        observations.append(Observed((*src, "</s>"), tokens[:-1], tokens[1:], {"cross": cross}))
    return observations


@pytest.mark.parametrize("count", [3, 60])
def test_the_head_that_aligns_is_found_among_sinks_and_diagonals(count: int) -> None:
    heads = representative_heads_over(crossing(count))
    if count == 60:
        assert heads == {"cross": RepresentativeHead("L1H2", "aligns", "reads")}
    else:
        # From three sentences nobody can tell an alignment from a diagonal; but from a sink.
        assert heads["cross"].role == "aligns"
        assert heads["cross"].head in ("L1H2", "L2H2")


def test_a_lexicon_tells_the_row_that_reads_from_the_row_that_predicts() -> None:
    scores, clearly = alignment_scores(crossing(60), link_probabilities)
    reads, predicts = scores["reads"], scores["predicts"]
    assert reads[0, 1] > 0.9 > 3 * predicts[0, 1]
    assert predicts[1, 0] > 2 * reads[1, 0]
    # </s> aligns nothing; a diagonal meets the lexicon by chance.
    assert reads[0, 0] == predicts[0, 0] == 0
    assert predicts[1, 1] < 0.4
    assert 0.15 < clearly < 0.3


def test_untrained_heads_have_no_clear_role(translator: Translator) -> None:
    traces = [translator.trace(text, max_steps=12) for text in SENTENCES]
    heads = representative_heads_over(traces)
    assert heads["encoder_self"].role == heads["cross"].role == UNCLEAR
    assert set(heads) == {"encoder_self", "decoder_self", "cross"}
    # The shortest sentence has representative heads too, whatever they are worth.
    assert set(representative_heads(translator.trace("I", max_steps=1))) == set(heads)


def test_a_decoder_alone_has_one_representative_head(continuer: Translator) -> None:
    assert set(representative_heads(continuer.trace("I love you.", max_steps=6))) == {
        "decoder_self"
    }


def test_resting_heads_tell_only_where_no_other_does() -> None:
    size = 6
    tokens = ("<s>", "a", "b", "c", "d", "e")
    first = np.eye(size)[[0] * size]
    back = 0.5 * np.eye(size)[[0, *range(size - 1)]] + 0.5 * np.eye(size)
    even = np.tril(np.ones((size, size))) / np.arange(1, size + 1)[:, None]

    def representative(*heads: Any) -> RepresentativeHead:
        weights = np.array([heads], np.float32)
        one = Observed((), tokens, (*tokens[1:], "</s>"), {"decoder_self": weights})
        return representative_heads(one)["decoder_self"]

    assert representative(even, first, back) == RepresentativeHead("L1H3", "previous")
    assert representative(even, first) == RepresentativeHead("L1H2", "first")
    assert representative(even, even).role == UNCLEAR


def test_gold_links_agree_on_the_reverse_model() -> None:
    reverse = Translator.load(checkpoint.find("reverse"), device="cpu")
    reverse.card.update(source_language="zh", target_language="zh")
    generator = random.Random(5)
    symbols = "abcdefghijkmnopqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789"
    sequences = ["".join(generator.sample(symbols, generator.randint(4, 12))) for _ in range(40)]
    texts = [Text(s, s[::-1]) for s in sequences]
    examples = encode(texts, reverse.tokenizer, reverse.config.max_length)
    seen = [*observe(reverse, ((e.src, e.tgt) for e in examples))]
    representative = representative_heads_over(seen)["cross"]

    gold = [
        GoldLinks(frozenset((len(s) - 1 - i, i) for i in range(len(s))), frozenset())
        for s in sequences
    ]
    spaced = [Text(" ".join(s), " ".join(s[::-1])) for s in sequences]
    heads = [score for score in score_alignment(reverse, spaced, gold) if score.head is not None]
    rates: dict[tuple[str, str | None], float] = {
        (head_name(s.layer, s.head or 0), row): getattr(s, row) for s in heads for row in ROWS
    }
    assert representative.role == "aligns"
    assert rates[representative.head, representative.row] <= min(rates.values()) + 0.02
    assert rates[representative.head, representative.row] < 0.05
    # The other row of the same head aligns nothing: taking it would be the commonest error.
    other = "predicts" if representative.row == "reads" else "reads"
    assert rates[representative.head, other] > 0.5


def test_padding_changes_nothing(translator: Translator) -> None:
    sentences = [("I love you.", "我爱你。"), ("The cat sleeps on the warm bed.", "猫睡在床上。")]
    traces = [translator.trace(*sentence) for sentence in sentences]
    ids = [(t.src_ids, (translator.config.bos_id, *t.tgt_ids)) for t in traces]
    seen = [*observe(translator, ids)]
    for one, trace in zip(seen, traces, strict=True):
        assert (one.src, one.tgt_in, one.tgt_out) == (trace.src, trace.tgt_in, trace.tgt_out)
        for kind in ("encoder_self", "decoder_self", "cross"):
            mine, theirs = one.weights(kind), trace.weights(kind)
            assert mine is not None
            assert theirs is not None
            np.testing.assert_allclose(mine, theirs, atol=2e-6)


def test_an_installed_model_without_data_is_measured_by_its_examples(
    tokenizer: Tokenizer, tmp_path: Path
) -> None:
    folder = tmp_path / "it"
    checkpoint.save(folder, tiny_checkpoint(tokenizer, max_length=64))
    before = json.loads((folder / "config.json").read_text())
    measure_by_examples(folder)
    after = json.loads((folder / "config.json").read_text())
    heads = after["card"].pop("heads")
    assert after == before
    sizes: Any = dict.fromkeys(("encoder_self", "decoder_self", "cross"), (2, 4))
    assert as_card(read_representative_heads(heads, sizes)) == heads
    assert Translator.load(folder).representative_heads == read_representative_heads(heads, sizes)


@pytest.mark.release
@pytest.mark.parametrize(
    "name", ["en-de", "en-fr", "en-zh", "repeat", "reverse", "story", "tang", "zh-en"]
)
def test_shipped_models_name_a_representative_head_of_each_kind(name: str) -> None:
    config, card = checkpoint.read_config(checkpoint.find(name))
    sizes: dict[Kind, tuple[int, ...]] = {
        kind: (num_layers(config, kind), config.num_heads) for kind in KINDS
    }
    heads = read_representative_heads(card["heads"], sizes)
    assert set(heads) == {kind for kind in KINDS if sizes[kind][0]}
    if "cross" in heads:
        assert heads["cross"].role == "aligns"
        assert heads["cross"].row in ROWS
