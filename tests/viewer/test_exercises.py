"""The exercises can be passed with every shipped model that they are for, and not with any head."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.node import run_module
from transformer import Translator, inside
from transformer.inside.effect import effect
from transformer.trace.trace import AttentionTrace

ROOT = Path(__file__).parents[2]
JUDGE = """
import { readFileSync } from "node:fs";
import { ofHeads, ofPair } from "./tests/viewer/judged.js";
const asked = JSON.parse(readFileSync(0, "utf8"));
const judged = asked.map(({ name, was, trace }) =>
  (was ? [ofPair(name, was, trace)] : ofHeads(name, trace)).filter(Boolean),
);
console.log(JSON.stringify(judged.map((all) => all.map(({ outcome }) => outcome === "met"))));
"""
# A text, and two that differ in one row.
TEXTS = {
    "en-zh": ("I love you.", "I have a dog.", "I have a cat."),
    "zh-en": ("我爱你。", "我有一只狗。", "我有一只猫。"),
    "en-fr": ("I have a dog.", "I have a dog.", "I have a cat."),
    "en-de": ("I have a dog.", "He is my brother.", "He is my father."),
    "story": ("The dog was so tired that", "", ""),
    "tang": ("床前明月光", "", ""),
    "reverse": ("headlight", "headlight", "headlighs"),
    "repeat": ("planet", "", ""),
}
# A toy has no head that looks back, a model without an encoder none that aligns, a short training
# brought forth none that rests; and where there are but two heads, each is needed.
NOT_FOR = {
    *(("looks_back", "reverse"), ("aligns", "tang"), ("aligns", "story"), ("rests", "story")),
    *(("aligns", "repeat"), ("rests", "repeat"), ("nothing", "repeat")),
    # Its own toy alone is known by such a head.
    *(("induction", model) for model in TEXTS if model != "repeat"),
}


def saved(trace: AttentionTrace, folder: Path) -> Any:
    trace.save(folder / "trace.json")
    return json.loads((folder / "trace.json").read_text("utf-8"))


def harmless(translator: Translator, text: str) -> str:
    """Switching off the head that a model misses least."""
    trace = translator.trace(text)
    ranked = sorted(inside.sweep(translator, trace).ranked(), key=lambda harm: abs(harm[2]))
    few = [f"{kind}.{head}=zero" for kind, head, _ in ranked[:8]]
    return min(few, key=lambda change: effect(translator, trace, [change]).divergence.sum())


@pytest.mark.release
def test_every_shipped_model_has_heads_that_pass_and_heads_that_do_not(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = []
    for model, (text, one, other) in TEXTS.items():
        translator = Translator.load(model)
        plain = saved(translator.trace(text), tmp_path)
        asked += [
            {"name": name, "model": model, "trace": plain}
            for name in ("aligns", "looks_back", "rests", "induction")
        ]
        off = translator.trace(text, interventions=[harmless(translator, text)])
        asked.append(
            {"name": "nothing", "model": model, "was": plain, "trace": saved(off, tmp_path)}
        )
        if one:
            first, second = (saved(translator.trace(each), tmp_path) for each in (one, other))
            asked.append({"name": "one_row", "model": model, "was": first, "trace": second})
    for question, met in zip(asked, run_module(JUDGE, asked), strict=True):
        what = question["name"], question["model"]
        assert any(met) == (what not in NOT_FOR), what
        assert "was" in question or not all(met), what


def test_an_exercise_says_what_to_do_in_sixty_words() -> None:
    for locale, most in (("en", 60), ("fr", 60), ("zh", 110)):
        path = ROOT / "assets" / "locales" / f"{locale}.json"
        texts: dict[str, str] = json.loads(path.read_text("utf-8"))
        values = {
            key: text
            for key, text in texts.items()
            if key == "clinic.text" or (key.startswith("exercise.") and key.endswith(".text"))
        }
        assert len(values) == 11
        for key, text in values.items():
            assert (len(text) if locale == "zh" else len(text.split(" "))) <= most, key
