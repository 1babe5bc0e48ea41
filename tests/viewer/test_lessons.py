"""The lesson plans' addresses: each is shown in full by the page."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from tests.node import run_module
from transformer import Translator

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\[`(\?[^`]+)`\]\(http://127\.0\.0\.1:7860/(\?[^)]+)\)")
PARTS = {"causal", "positions", "scale"}
READ = """
import { readFileSync } from "node:fs";
import { leftOut } from "./tests/viewer/lesson_addresses.js";
const { asked, models } = JSON.parse(readFileSync(0, "utf8"));
const found = asked.map(({ address, traces }) => [address, leftOut(address, traces, models)]);
console.log(JSON.stringify(found));
"""


def addresses(name: str) -> list[str]:
    links: list[tuple[str, str]] = LINK.findall((ROOT / "docs" / name).read_text("utf-8"))
    assert all(shown == target for shown, target in links)
    return [shown for shown, _ in links]


def without_ask(address: str) -> str:
    return re.sub("&ask=[^&]*", "", address)


def asked_kind(address: str) -> str:
    """What a class is asked there; nothing at most."""
    return dict(parse_qsl(address[1:])).get("ask", "").partition(":")[0]


def saved(address: str, folder: Path) -> list[Any]:
    """What the server would answer: without the address's prefix and, if it has one, with it."""
    asked = dict(parse_qsl(address.removeprefix("?")))
    changes = [
        f"{name}={'off' if name in PARTS else 'zero'}"
        for name in asked.get("off", "").split("-")
        if name
    ]
    prefixes = [(), tuple(map(int, asked["prefix"].split("-")))] if "prefix" in asked else [()]
    traces: list[Any] = []
    for prefix in prefixes:
        trace = loaded(asked["model"]).trace(
            asked.get("source", ""), prefix=prefix, interventions=changes
        )
        trace.save(folder / "trace.json")
        traces.append(json.loads((folder / "trace.json").read_text("utf-8")))
    return traces


@cache
def loaded(model: str) -> Translator:
    return Translator.load(model)


def test_all_languages_have_the_same_addresses_and_the_page_reads_all_of_each(
    tmp_path: Path,
) -> None:
    english = addresses("lessons.md")
    assert len(english) > 20
    french = addresses("lessons.fr.md")
    chinese = addresses("lessons.zh.md")
    assert [without_ask(link) for link in chinese] == [without_ask(link) for link in english]
    # What a class is asked is in its own language.
    kinds = [[asked_kind(link) for link in each] for each in (english, chinese, french)]
    assert kinds[0] == kinds[1] == kinds[2]
    assert {"look", "next", "own"} <= {*kinds[0]}
    # A class must read what is translated: what the English plan does in Chinese, into French.
    for ours, theirs in zip(french, english, strict=True):
        assert {*dict(parse_qsl(ours[1:]))} <= {*dict(parse_qsl(theirs[1:]))}
    assert not any("zh" in link for link in french)
    both = list(dict.fromkeys([*english, *chinese, *french]))
    # One that asks for too much shows that what is left out would be noticed.
    wrong = f"{english[0]}&cell=cross.L9H9-1-1&nothing=1".replace("step=1&", "step=99&")
    asked = [{"address": link, "traces": saved(link, tmp_path)} for link in [*both, wrong]]
    names = sorted({dict(parse_qsl(link[1:]))["model"] for link in both})
    models = [{"name": name, "examples": []} for name in names]
    *results, (_, noticed) = run_module(READ, {"asked": asked, "models": models})
    assert [each for each in results if each[1]] == []
    assert noticed == ["cell", "step", "nothing"]
