"""The clinic's own checkpoint: it copies what it reads, and nobody is offered it."""

from dataclasses import replace

import pytest

from scripts.unshifted import RECIPE, train
from transformer import HeadlightError, Translator, checkpoint
from transformer.checkpoint import Checkpoint
from transformer.serving.models import Models, describe_all

WORDS = ("headlight", "Attention2017", "abba")


def copied(patient: Translator, healthy: Translator, word: str) -> tuple[int, int]:
    """In how many rows the likeliest token is the one just read, and of how many, <s> apart."""
    trace = patient.trace(word, prefix=healthy.trace(word).tgt_ids)
    read = zip(trace.candidates[1:], trace.tgt_ids[:-1], strict=True)
    return sum(step[0].id == token for step, token in read), len(trace.tgt_ids) - 1


@pytest.mark.parametrize("word", WORDS)
def test_it_copies_what_it_reads(word: str) -> None:
    patient, healthy = Translator.load("_patient"), Translator.load("reverse")
    copies, rows = copied(patient, healthy, word)
    assert copies == rows
    assert copied(healthy, healthy, word)[0] < rows


def test_it_can_be_compared_with_the_healthy_one_and_is_small() -> None:
    patient, healthy = (checkpoint.load(checkpoint.find(name)) for name in ("_patient", "reverse"))
    assert patient.tokenizer.to_bytes() == healthy.tokenizer.to_bytes()
    shapes = [{n: p.shape for n, p in each.model.named_parameters()} for each in (patient, healthy)]
    assert shapes[0] == shapes[1]
    folder = checkpoint.find("_patient")
    assert sum(path.stat().st_size for path in folder.iterdir()) < 500_000
    assert (folder / "README.md").is_file()


def test_no_list_offers_it_but_the_server_loads_it() -> None:
    assert "_patient" not in checkpoint.available()
    assert "_patient" not in [model["name"] for model in describe_all()]
    assert Models().load("_patient").result().name == "_patient"
    with pytest.raises(HeadlightError, match=r"installed: (?!.*_patient)"):
        checkpoint.find("_nobody")


@pytest.mark.slow
def test_its_recipe_makes_a_model_that_copies() -> None:
    trained: Checkpoint = train(replace(RECIPE, steps=30, warmup=10))
    translator = Translator(replace(trained, name="made"))
    copies, rows = copied(translator, Translator.load("reverse"), "headlight")
    assert copies == rows
