"""The file itself; tests/browser/test_replay.py opens it."""

import dataclasses
import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from transformer import Translator
from transformer.show.replay import replay_frame, replay_html
from transformer.trace.trace import AttentionTrace

HOSTILE = "</script><script>alert(1)</script><!-- \u2028 \ud800 ${x}"


class Scripts(HTMLParser):
    """What a browser would find: every tag, and each script's text by its id or type."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: dict[str, str] = {}
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        values = dict(attrs)
        self._inside = (values.get("id") or values.get("type") or "") if tag == "script" else ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[self._inside] = self.texts.get(self._inside, "") + data


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace("I love you.", max_steps=5, top_k=3)


def test_the_file_holds_the_whole_trace(trace: AttentionTrace) -> None:
    text = Scripts(replay_html(trace)).texts["headlight-trace"]
    assert json.loads(text) == json.loads(json.dumps(trace.to_dict("uint16")))


def test_hostile_text_stays_text(trace: AttentionTrace, tmp_path: Path) -> None:
    hostile = dataclasses.replace(trace, source=HOSTILE, src=(HOSTILE, *trace.src[1:]))
    hostile.save(tmp_path / "x.html")
    page = Scripts((tmp_path / "x.html").read_text(encoding="utf-8"))
    assert page.tags == Scripts(replay_html(trace)).tags
    assert json.loads(page.texts["headlight-trace"])["src"][0] == HOSTILE


def test_the_page_names_no_host(trace: AttentionTrace) -> None:
    page = replay_html(trace)
    assert not re.search(r"(src|href)\s*=\s*[\"'](?!data:)", page)


def test_a_notebook_shows_the_same_page_in_a_sandbox(trace: AttentionTrace) -> None:
    frame = trace._repr_html_()
    assert frame == replay_frame(trace)
    assert 'sandbox="allow-scripts allow-downloads allow-modals"' in frame
    [inside] = re.findall(r'srcdoc="([^"]*)"', frame)
    assert html.unescape(inside) == replay_html(trace)
