"""The engine's answers beside PyTorch's, in Node.js: how many come out otherwise."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.engine.agreement import unpacked
from tests.engine.engine import running
from transformer import Translator, checkpoint
from transformer.trace.kinds import KINDS
from transformer.training.toys import TOY_NAMES

from .row import Row

SENTENCES = 500
NEAR = 1e-4
"""Two probabilities' logarithms that lie nearer may change places."""


def rows() -> Iterator[Row]:
    """The same sentences to PyTorch and to the engine: how many come out otherwise."""
    places = {name: checkpoint.find(name) for name in checkpoint.available()}
    with running({name: (folder, "") for name, folder in places.items()}) as engine:
        for name, folder in places.items():
            translator = Translator.load(folder, "cpu")
            near = other = 0
            worst = 0.0
            for source in _sentences(name, translator):
                trace = json.loads(json.dumps(translator.trace(source).to_dict()))
                its = engine.ask({"ask": "exact", "model": name, "source": source})["trace"]
                if trace["tgt_ids"] != its["tgt_ids"]:
                    tie = _is_near_tie(trace, its)
                    near, other = near + tie, other + (not tie)
                    continue
                worst = max(worst, *(_apart(trace[kind], its[kind]) for kind in KINDS))
            yield Row(
                f"{SENTENCES} sentences of {name} with other tokens than PyTorch's",
                other,
                "",
                0,
                f"{near} near ties; weights to {worst:.1e}",
            )


def _sentences(name: str, translator: Translator) -> Iterator[str]:
    """Of the everyday sentences those that the model's language can read; of the toy, words."""
    path = Path(__file__).parents[1] / "corpora" / "everyday.tsv"
    pairs = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    chosen = pairs[:: max(1, len(pairs) // SENTENCES)][:SENTENCES]
    for number, (english, chinese) in enumerate(chosen):
        if name in TOY_NAMES:
            yield "".join(char for char in english if char.isalnum())[:12] + str(number)
        else:
            language = translator.card.get("source_language") or translator.card["target_language"]
            yield chinese if language == "zh" else english


def _is_near_tie(trace: dict[str, Any], its: dict[str, Any]) -> bool:
    both = zip(trace["tgt_ids"], its["tgt_ids"], strict=False)
    step = next((step for step, (one, two) in enumerate(both) if one != two), None)
    if step is None:
        return False
    chances = {each["id"]: each["probability"] for each in trace["candidates"][step]}
    pair = [chances.get(each["tgt_ids"][step], 0.0) for each in (trace, its)]
    return min(pair) > 0 and abs(float(np.log(pair[0] / pair[1]))) < NEAR


def _apart(one: dict[str, Any] | None, other: dict[str, Any] | None) -> float:
    if one is None or other is None:
        return 0.0
    return float(np.abs(unpacked(one) - unpacked(other)).max())
