"""Starting from another model, and pieces cut by chance."""

from pathlib import Path

import pytest
import torch

from tests.runs import tiny_recipe, trained, write_corpus
from transformer import Tokenizer, checkpoint
from transformer.tokenizer import seed_sampling
from transformer.training.errors import TrainingError
from transformer.training.loop import Trainer

LANGUAGES = {"source_language": "en", "target_language": "zh"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus"))


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
