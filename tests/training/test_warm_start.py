"""Starting from another model, and pieces cut by chance."""

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.training.runs import tiny_recipe, trained
from transformer import Tokenizer, Translator, checkpoint
from transformer.decoding import decode
from transformer.text.tokenizer import EOS_ID, SPECIAL_PIECES, seed_sampling
from transformer.training.data import collate
from transformer.training.errors import TrainingError
from transformer.training.loop import Trainer
from transformer.training.publish import publish
from transformer.training.warm_start import rows_of

LANGUAGES = {"source_language": "en", "target_language": "zh"}


@pytest.fixture(scope="module")
def parent(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("parent") / "run"
    trained(tiny_recipe(corpus, **LANGUAGES, steps=6), run)
    return run / "best"


@pytest.mark.parametrize("turned", [False, True])
def test_a_run_starts_with_the_parents_weights_and_tokenizer(
    corpus: Path, parent: Path, tmp_path: Path, turned: bool
) -> None:
    languages = dict(zip(LANGUAGES, reversed(LANGUAGES.values()), strict=True))
    recipe = tiny_recipe(
        corpus, **(languages if turned else LANGUAGES), start_from=str(parent), seed=7
    )
    trainer = Trainer(recipe, tmp_path / "run")
    assert trainer.progress.step == 0
    assert trainer.tokenizer.to_bytes() == (parent / "tokenizer.model").read_bytes()
    loaded = checkpoint.load(parent).model
    for name, parameter in trainer.model.named_parameters():
        assert torch.equal(parameter, loaded.get_parameter(name)), name


def test_other_languages_get_a_vocabulary_and_keep_the_embeddings_that_both_know(
    parent: Path, tmp_path: Path
) -> None:
    pairs = [f"{word}é\t{word[::-1]}é\n" for word in ("abc", "cab", "bac", "acb", "bca") * 20]
    data = tmp_path / "train.tsv"
    data.write_text("".join(pairs), encoding="utf-8")
    french = LANGUAGES | {"target_language": "fr", "characters": True}
    recipe = tiny_recipe(tmp_path, **french, dev=str(data), start_from=str(parent), seed=7)
    trainer = Trainer(recipe, tmp_path / "run")
    fresh = Trainer(tiny_recipe(tmp_path, **french, dev=str(data), seed=7), tmp_path / "fresh")
    loaded = checkpoint.load(parent)
    new, old = (t.pieces(range(t.vocab_size)) for t in (trainer.tokenizer, loaded.tokenizer))
    assert {"a", "b", "c"} <= set(new) & set(old)
    assert "é" in set(new) - set(old)
    weights, before, unlearned = (
        dict(model.named_parameters()) for model in (trainer.model, loaded.model, fresh.model)
    )
    tables = [name for name in weights if weights[name].shape != before[name].shape]
    assert tables == ["encoder.embedding.token.weight", "decoder.output.bias"]  # the rest is tied
    for name in weights.keys() - set(tables):
        assert torch.equal(weights[name], before[name]), name
    for name in tables:
        for i, piece in enumerate(new):
            expected = before[name][old.index(piece)] if piece in old else unlearned[name][i]
            assert torch.equal(weights[name][i], expected), (name, piece)


def test_a_character_model_is_a_parent_too(corpus: Path, tmp_path: Path) -> None:
    recipe = tiny_recipe(corpus, **LANGUAGES, characters=True, vocab_size=500, steps=6)
    older = trained(recipe, tmp_path / "older")
    recipe = tiny_recipe(
        corpus,
        **LANGUAGES,
        characters=True,
        vocab_size=500,
        start_from=str(tmp_path / "older" / "best"),
    )
    younger = Trainer(recipe, tmp_path / "younger")
    assert younger.tokenizer.vocab_size == older.tokenizer.vocab_size < 500


def test_every_piece_of_a_character_vocabulary_is_one_character(
    corpus: Path, tmp_path: Path
) -> None:
    trainer = Trainer(tiny_recipe(corpus, characters=True, vocab_size=500), tmp_path / "run")
    tokenizer = trainer.tokenizer
    letters = tokenizer.pieces(range(len(SPECIAL_PIECES), tokenizer.vocab_size))
    assert {len(letter) for letter in letters} == {1}
    word = trainer.examples[0].text.source
    assert tokenizer.pieces(tokenizer.encode(word)) == list(word)
    assert trainer.model.config.tgt_vocab_size == tokenizer.vocab_size == len(letters) + 4


def test_a_trained_model_never_emits_what_no_text_holds(parent: Path) -> None:
    trained_model = checkpoint.load(parent)
    banned = trained_model.tokenizer.pieces(trained_model.model.config.banned_ids)
    assert banned == ["<pad>", "<s>", "<unk>"]
    src = torch.tensor([[*trained_model.tokenizer.encode("abc"), EOS_ID]])
    [hypothesis] = decode(trained_model.model, src, max_steps=5, top_k=100)
    offered = {token for step in hypothesis.candidates for token, p, _ in step if p > 0}
    assert offered
    assert not offered & set(trained_model.model.config.banned_ids)


def test_a_parent_of_another_shape_is_refused(corpus: Path, parent: Path, tmp_path: Path) -> None:
    recipe = tiny_recipe(corpus, **LANGUAGES, start_from=str(parent), d_ff=8)
    with pytest.raises(TrainingError, match=r"--start-from: .*best has d_ff 16, but .* for 8"):
        Trainer(recipe, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_parent_that_is_not_there_is_named(corpus: Path, tmp_path: Path) -> None:
    recipe = tiny_recipe(corpus, start_from="nobody")
    with pytest.raises(TrainingError, match="--start-from: there is no model 'nobody'"):
        Trainer(recipe, tmp_path / "run")


def test_sampled_pieces_spell_the_same_text_and_a_seed_repeats_them(tokenizer: Tokenizer) -> None:
    text = "She reads a book every evening."

    def draws(seed: int) -> list[list[int]]:
        seed_sampling(seed)
        return [tokenizer.sample(text, 0.1) for _ in range(20)]

    assert draws(3) == draws(3)
    assert draws(3) != draws(4)
    assert len(set(map(tuple, draws(3)))) > 5
    assert {tokenizer.decode(ids) for ids in draws(3)} == {text}


def test_a_run_that_samples_goes_on_exactly(tmp_path: Path) -> None:
    # Words often enough for pieces of several letters, so that there is something to sample.
    lines = [
        f"{a} {b}\t{b} {a}\n" for a in ("light", "house", "lighthouse") for b in ("keep", "er")
    ]
    data = tmp_path / "train.tsv"
    data.write_text("".join(lines * 40))
    recipe = tiny_recipe(tmp_path, dev=str(data), vocab_size=24, sampling_alpha=0.1)
    straight = trained(recipe, tmp_path / "straight")
    trained(
        tiny_recipe(tmp_path, dev=str(data), vocab_size=24, sampling_alpha=0.1, steps=5),
        tmp_path / "run",
    )
    resumed = trained(recipe, tmp_path / "run")
    plain = trained(tiny_recipe(tmp_path, dev=str(data), vocab_size=24), tmp_path / "plain")
    weights, unsampled = dict(straight.model.named_parameters()), plain.model
    assert not all(torch.equal(p, unsampled.get_parameter(name)) for name, p in weights.items())
    for name, parameter in resumed.model.named_parameters():
        assert torch.equal(parameter, weights[name]), name


OWN = LANGUAGES | {"source_vocab_size": 130, "target_vocab_size": 140}


def test_each_language_gets_a_vocabulary_of_its_own_and_keeps_it(
    corpus: Path, tmp_path: Path
) -> None:
    recipe = tiny_recipe(corpus, **OWN)
    straight = trained(recipe, tmp_path / "straight")
    config = straight.model.config
    assert (config.src_vocab_size, config.tgt_vocab_size) == (130, 140)
    assert config.tied_embeddings == "output"
    trained(tiny_recipe(corpus, **OWN, steps=5), tmp_path / "run")
    resumed = trained(recipe, tmp_path / "run")
    for name, parameter in resumed.model.named_parameters():
        assert torch.equal(parameter, straight.model.get_parameter(name)), name

    report = publish(tmp_path / "run", tmp_path / "shipped", straight.dev)
    assert "bleu" in report
    shipped = checkpoint.load(tmp_path / "shipped")
    assert shipped.tgt_tokenizer
    pair = straight.history.pairs[0]
    trace = Translator(shipped).trace(pair["source"], pair["target"])
    assert (list(trace.src), list(trace.tgt_in)) == (pair["src"], pair["tgt_in"])
    # English is written with spaces, Chinese is not.
    assert trace.src[0].startswith("␣")
    assert not trace.tgt_out[0].startswith("␣")

    again = Trainer(
        tiny_recipe(corpus, **OWN, start_from=str(tmp_path / "shipped")), tmp_path / "2"
    )
    assert again.tgt_tokenizer
    assert again.tokenizer.to_bytes() == shipped.tokenizer.to_bytes()
    assert again.tgt_tokenizer.to_bytes() == shipped.tgt_tokenizer.to_bytes()


def test_vocabularies_of_their_own_begin_with_the_shared_ones_embeddings(
    corpus: Path, parent: Path, tmp_path: Path
) -> None:
    trainer = Trainer(tiny_recipe(corpus, **OWN, start_from=str(parent)), tmp_path / "run")
    loaded = checkpoint.load(parent)
    table = loaded.model.get_parameter("decoder.embedding.token.weight")
    [word] = (i for i, p in enumerate(loaded.tokenizer.pieces(range(66))) if p == "a")
    assert trainer.tgt_tokenizer
    for tokenizer, tower in ((trainer.tokenizer, "encoder"), (trainer.tgt_tokenizer, "decoder")):
        mine = trainer.model.get_parameter(f"{tower}.embedding.token.weight")
        pieces = tokenizer.pieces(range(tokenizer.vocab_size))
        assert torch.equal(mine[pieces.index("a")], table[word])
    merged = next(piece for piece in pieces[4:] if len(piece) == 2)
    spelt = loaded.tokenizer.encode(merged)
    torch.testing.assert_close(mine[pieces.index(merged)], table[spelt].mean(0))
    bias = trainer.model.get_parameter("decoder.output.bias")
    assert bias[4:].abs().max() > 0


def test_a_piece_is_spelt_by_the_old_vocabulary() -> None:
    sentences = ["We gave.", "Gave we?"] * 30
    old = Tokenizer.train(sentences, 14)
    new = Tokenizer.train(sentences, 115, whole_words=True, spaces=True)
    labels = new.pieces(range(new.vocab_size))
    spelt = {label: old.pieces(row) for label, row in zip(labels, rows_of(new, old), strict=True)}
    assert spelt["<s>"] == ["<s>"]
    assert spelt["␣gave"][0].startswith("␣")
    assert "".join(spelt["␣gave"]) == "␣gave"
    assert spelt["Z"] == []


def test_a_wider_feed_forward_network_computes_what_the_parent_does(
    corpus: Path, parent: Path, tmp_path: Path
) -> None:
    recipe = tiny_recipe(corpus, **LANGUAGES, start_from=str(parent), d_ff=40)
    trainer = Trainer(recipe, tmp_path / "run")
    loaded = checkpoint.load(parent)
    src, tgt = collate(trainer.dev)
    trainer.model.eval()
    with torch.no_grad():
        torch.testing.assert_close(trainer.model(src, tgt), loaded.model(src, tgt))
    # What is new must be able to learn.
    assert trainer.model.get_parameter("decoder.layers.0.feed_forward.inner.weight")[16:].any()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"source_vocab_size": 130}, "go together"),
        ({**OWN, "characters": True}, "cannot be combined with --characters"),
        ({**OWN, "source_vocab_size": 9000}, "--source-vocab-size: .* choose at most"),
        ({"plain_share": 1.5}, "--plain-share must lie in"),
        ({"typo_share": -0.1}, "--typo-share must lie in"),
    ],
    ids=["one of two", "characters", "too many", "share", "typos"],
)
def test_vocabularies_that_make_no_sense_are_refused(
    corpus: Path, tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(TrainingError, match=sentence):
        Trainer(tiny_recipe(corpus, **changes), tmp_path / "run")
