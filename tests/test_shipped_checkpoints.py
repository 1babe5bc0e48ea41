"""The models that come with Headlight: each whole, described, and as good as its card says."""

from pathlib import Path

import pytest

from transformer import Translator, checkpoint
from transformer.decoding import Sampling
from transformer.training.history import FILE as HISTORY
from transformer.training.history import History

MEGABYTE = 1_000_000
NAMES = ("en-de", "en-fr", "en-zh", "reverse", "tang", "zh-en")
TRANSLATORS = ("en-de", "en-fr", "en-zh", "zh-en")

FIRST_LINES = (
    *("秋风过竹楼", "夜雪满孤村", "江船带月归", "新茶煮晚烟", "春草绿山桥"),
    *("客行千里外", "晓钟出远寺", "窗前梅半开", "落日照空城", "归鸟入寒林"),
    *("一夜秋风到小楼", "故人书信隔年来", "江上青峰带雨看", "病起闲看院里花", "天涯今夜月如霜"),
    *("山寺钟声过水迟", "春尽江南客未归", "独向西窗听夜雨", "边城八月雪初飞", "柳絮随风过断桥"),
)
"""Our own: no poem that the model has read holds any of them."""


def test_all_of_them_are_installed() -> None:
    assert set(NAMES) <= set(checkpoint.available())


def test_together_they_are_light_enough_for_a_repository() -> None:
    files = [file for name in NAMES for file in checkpoint.find(name).iterdir()]
    assert sum(file.stat().st_size for file in files) < 120 * MEGABYTE
    assert max(file.stat().st_size for file in files) < 20 * MEGABYTE


@pytest.mark.parametrize("name", NAMES)
def test_each_has_a_card_scores_and_a_history(name: str) -> None:
    folder = checkpoint.find(name)
    card = checkpoint.read_card(folder)
    assert {"en", "zh"} <= card["title"].keys()
    assert card["scores"]
    assert card["examples"]
    history = History.load(folder / HISTORY)
    assert min(history.weights) == 0
    _, front_matter, text = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    assert "license: " in front_matter
    for heading in ("## Data", "## Recipe", "## Scores", "## Limits"):
        assert heading in text, f"{name} has no {heading}"
    assert f"python -m transformer train {name} " in text
    for picture in (line for line in text.splitlines() if line.startswith("![")):
        assert Path(folder, picture.rpartition("(")[2].rstrip(")")).is_file()


@pytest.mark.parametrize("name", TRANSLATORS)
def test_each_example_is_translated_to_its_end(name: str) -> None:
    translator = Translator.load(checkpoint.find(name))
    for example in translator.card["examples"]:
        trace = translator.trace(example)
        assert trace.stop_reason == "eos"
        assert trace.cross is not None


def test_the_poet_keeps_the_form_of_a_quatrain() -> None:
    poet = Translator.load(checkpoint.find("tang"))
    kept = 0
    for seed in range(10):
        for line in FIRST_LINES:
            trace = poet.trace(line + "，", sampling=Sampling(temperature=0.8, seed=seed), top_k=0)
            kept += is_quatrain(trace.translation, len(line))
    assert kept >= 180  # of 200


def is_quatrain(poem: str, length: int) -> bool:
    """Whether a poem is four lines of `length` characters, ended by ，。，。 (or ？ or ！)."""
    lines, ends = poem[: 4 * (length + 1)], poem[length :: length + 1]
    words = [character for i, character in enumerate(lines) if i % (length + 1) != length]
    return (
        len(poem) == 4 * (length + 1)
        and ends[0] in "，？！"
        and ends[2] in "，？！"
        and ends[1] in "。？！"
        and ends[3] in "。？！"
        and all("\u4e00" <= word <= "\u9fff" or word > "\uffff" for word in words)
    )
