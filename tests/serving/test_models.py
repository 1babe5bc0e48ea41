"""What the page's picker says of the models, and their cards."""

import shutil
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.serving.asking import ask
from transformer import Translator, checkpoint
from transformer.checkpoint.card import write_card
from transformer.serving import Service
from transformer.serving.models import describe_all

README = "---\nlicense: apache-2.0\n---\n\n# en-zh: <b>a phrasebook</b>\n"


@pytest.fixture
def shelf(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the models, whose cards may be changed."""
    shutil.copytree(models, tmp_path / "shelf")
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path / "shelf"))
    return tmp_path / "shelf"


def change(folder: Path, **card: Any) -> None:
    write_card(folder, {**checkpoint.read_card(folder), **card})


def test_the_picker_is_in_the_order_of_the_cards_and_then_of_the_names(shelf: Path) -> None:
    assert [model["name"] for model in describe_all()] == ["en-zh", "poet"]
    change(shelf / "poet", order=1, action={"en": "Rhyme"}, about={"en": "It rhymes."})
    first, second = describe_all()
    assert [first["name"], second["name"]] == ["poet", "en-zh"]
    assert (first["action"], first["about"]) == ({"en": "Rhyme"}, {"en": "It rhymes."})
    change(shelf / "en-zh", order="first")
    assert describe_all()[1]["name"] == "en-zh", "an order that is no number is none"


def test_a_description_offers_what_the_model_does(shelf: Path) -> None:
    text = {"files": [{"name": "lines.tsv", "columns": [0, 1]}]}
    change(shelf / "en-zh", training_text=text)
    (shelf / "lines.tsv").write_text("a\tb\n", encoding="utf-8")
    offers = {model["name"]: {*model["offers"]} for model in describe_all()}
    assert offers == {name: Translator.load(shelf / name).offers for name in offers}
    assert offers["en-zh"] - offers["poet"] == {"encoder", "cross", "training_text"}
    (shelf / "lines.tsv").unlink()
    assert "training_text" not in describe_all()[0]["offers"]


def test_the_models_that_come_with_headlight_stand_in_the_order_of_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("HEADLIGHT_CHECKPOINTS")
    shipped = ["en-zh", "zh-en", "en-fr", "en-de", "reverse", "story", "tang", "repeat"]
    models = [model for model in describe_all() if model["name"] in shipped]
    assert [model["name"] for model in models] == shipped
    for model in models:
        assert model["about"].keys() == {"en", "zh", "fr"}
        assert model["has_card"]
    assert models[4]["action"]["en"] == "Reverse"


def test_a_card_is_given_as_it_is_written_without_the_lines_for_the_hub(
    shelf: Path, service: Service
) -> None:
    (shelf / "en-zh" / "README.md").write_text(README, encoding="utf-8")
    assert [model["has_card"] for model in describe_all()] == [True, False]
    asked = {"ask": "card", "model": "en-zh"}
    assert ask(service, asked) == {"card": "\n# en-zh: <b>a phrasebook</b>\n"}
    (shelf / "en-zh" / "README.zh.md").write_text("# 英译中\n", encoding="utf-8")
    assert ask(service, asked)["in_short"] == {"zh": "# 英译中\n"}


def test_a_card_says_what_beside_the_model_is_damaged(models: Path, service: Service) -> None:
    folder = models / "en-zh"
    (folder / "README.md").write_text("# en-zh\n", encoding="utf-8")
    try:
        (folder / "heads.npz").write_bytes(b"PK\x03\x04 and no more")
        asked = {"ask": "card", "model": "en-zh"}
        text = "**heads.npz is damaged**, and left out.\n\n# en-zh\n"
        assert ask(service, asked) == {"card": text}
        assert "trace" in ask(service, {"ask": "trace", "model": "en-zh", "source": "I love you."})
    finally:
        (folder / "heads.npz").unlink()
        (folder / "README.md").unlink()


@pytest.mark.parametrize(
    "config", ['{"model": {}, "card": {"title": null}}', "[" * 100_000, '{"card": 3}', "nothing"]
)
def test_one_bad_card_hides_no_other_model(shelf: Path, config: str) -> None:
    (shelf / "broken").mkdir()
    (shelf / "broken" / "config.json").write_text(config, encoding="utf-8")
    described = describe_all()
    assert "broken" in [model["name"] for model in described]
    assert len(described) > 1
    for model in described:
        assert all(isinstance(text, str) for text in model["title"].values())
        assert all(isinstance(text, str) for text in model["examples"])


@pytest.mark.parametrize("name", ["poet", "../en-zh", "", "/etc"])
def test_a_model_without_a_card_has_none(shelf: Path, service: Service, name: str) -> None:
    (shelf.parent / "README.md").write_text(README, encoding="utf-8")
    answer = ask(service, {"ask": "card", "model": name})
    assert answer["error"]["code"] == "unknown_model"


def test_an_archive_that_would_swell_is_named_and_never_unpacked(
    shelf: Path, service: Service
) -> None:
    (shelf / "en-zh" / "README.md").write_text("# en-zh\n", encoding="utf-8")
    np.savez_compressed(shelf / "en-zh" / "heads.npz", weights=np.zeros(33_000_000))
    tracemalloc.start()
    try:
        answer = ask(service, {"ask": "card", "model": "en-zh"})["card"]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "**heads.npz is damaged**" in answer
    assert peak < 100_000_000
