"""Every text for people is in both locale files, and every text in them is used."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from transformer.decoding import StopReason

ROOT = Path(__file__).parents[2]
TEMPLATE = re.compile("`([^`]+)`")
HOLE = re.compile(r"\{(\w+)\}")


@pytest.fixture(scope="module")
def locales(assets: Path) -> dict[str, dict[str, str]]:
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((assets / "locales").glob("*.json"))
    }


def test_all_languages_have_the_same_keys_and_holes(locales: dict[str, dict[str, str]]) -> None:
    for texts in locales.values():
        assert list(texts) == list(locales["en"])
        for key, text in texts.items():
            assert sorted(HOLE.findall(text)) == sorted(HOLE.findall(locales["en"][key])), key
            assert text.strip()


def test_the_page_offers_every_language_that_has_a_file(
    assets: Path, locales: dict[str, dict[str, str]]
) -> None:
    module = (assets / "kit" / "i18n.js").read_text(encoding="utf-8")
    assert sorted(re.findall(r'\{ code: "(\w+)"', module)) == sorted(locales)
    assert {"en", "zh"} <= set(locales)


def test_every_key_is_used_and_every_used_key_exists(
    assets: Path, locales: dict[str, dict[str, str]]
) -> None:
    script = "\n".join(path.read_text(encoding="utf-8") for path in sorted(assets.rglob("*.js")))
    calls = re.findall(r"""\bt\(((?:[^()]|\([^()]*\))*)""", script)
    exact = {key for call in calls for key in re.findall(r'"([a-z_.]+)"', TEMPLATE.sub("", call))}
    # `error.${code}` stands for a key that is known only when the page runs.
    patterns = [
        re.compile(re.sub(r"\\\$\\\{[^}]*\\\}", r"[a-z_0-9=.]+", re.escape(template)) + r"\Z")
        for call in calls
        for template in TEMPLATE.findall(call)
        if "." in template  # else it fills a hole
    ]
    keys = set(locales["en"])
    assert exact <= keys
    for pattern in patterns:
        assert any(map(pattern.match, keys)), pattern.pattern
    unused = {key for key in keys - exact if not any(p.match(key) for p in patterns)}
    assert not unused


def test_every_error_that_a_user_can_cause_has_a_sentence(
    assets: Path, locales: dict[str, dict[str, str]]
) -> None:
    # What only the command line says is no sentence of the page.
    commands = ("__main__", "training", "marian", "heads_command", "corpus", "course", "shipped")
    modules = [
        path
        for path in (ROOT / "transformer").rglob("*.py")
        if not {path.stem, *path.parts} & {*commands}
    ]
    files = ("state/files.js", "state/dropped.js", "trace/fields.js", "trace/saved.js")
    sources = [*modules, *(assets / name for name in ("state/server.js", *files))]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    raised = {
        *re.findall(r'HeadlightError\(\s*"(\w+)"', text),
        *re.findall(r'super\(\).__init__\("(\w+)"', text),
        *re.findall(r'"?code"?: "(\w+)"', text),
        *re.findall(r'new Unreadable\("(\w+)"', text),
    }
    known = {key.removeprefix("error.") for key in locales["en"] if key.startswith("error.")}
    assert known == raised


def test_every_stop_reason_has_a_sentence(locales: dict[str, dict[str, str]]) -> None:
    known = {key.removeprefix("stop.") for key in locales["en"] if key.startswith("stop.")}
    assert known == set(get_args(StopReason))
