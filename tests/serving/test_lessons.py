"""What is taught through the server is what Python teaches, and keeps nobody else waiting."""

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.serving.asking import ask, run
from transformer import Translator, inside
from transformer.inside.lesson import Lesson
from transformer.serving import Service, lessons
from transformer.serving.batcher import Batcher
from transformer.serving.client import NOBODY, Client
from transformer.serving.lessons import Lessons

SOURCE, TARGET = "I love you.", "别迟到。"
TAUGHT = {"target": TARGET, "how": "sgd-12-0.05"}
LESSON = Lesson.of(SOURCE, TARGET, "sgd-12-0.05")
QUESTION: dict[str, Any] = {"model": "en-zh", "source": SOURCE, "taught": TAUGHT}


def test_a_lesson_is_told_as_python_tells_it(service: Service, translator: Translator) -> None:
    told = ask(service, {"ask": "teach", **QUESTION})["taught"]
    taught = inside.teach(translator, SOURCE, TARGET, 12, 0.05)
    expected = json.loads(json.dumps(taught.payload()))
    cost = inside.forgetting(translator, taught.translator).payload()
    assert told == {**expected, "forgetting": json.loads(json.dumps(cost))}
    assert told["losses"][-1] < told["losses"][0]


def test_whatever_is_asked_of_the_taught_model_is_answered_by_it(
    service: Service, translator: Translator
) -> None:
    taught = inside.teach(translator, SOURCE, TARGET, 12, 0.05).translator
    trace = taught.trace(SOURCE)
    told = ask(service, {"ask": "trace", **QUESTION})["trace"]
    assert told["tgt_ids"] == list(trace.tgt_ids)
    assert told["checkpoint"] == f"{translator.checkpoint}+{LESSON.hash}"
    assert ask(service, {"ask": "trace", **QUESTION, "taught": None})["trace"] != told
    # A lesson may be about another sentence than the one that is shown.
    other = {**QUESTION, "source": "What a day!", "taught": {**TAUGHT, "source": SOURCE}}
    shown = ask(service, {"ask": "trace", **other})["trace"]
    assert shown["checkpoint"] == told["checkpoint"]
    assert shown["tgt_ids"] == list(taught.trace("What a day!").tgt_ids)
    found = ask(service, {"ask": "inside", "name": "lens", **QUESTION})["inside"]
    assert found["rank"] == inside.lens(taught, trace).rank.tolist()
    head = {"kind": "cross", "layer": 0, "head": 1, "interventions": []}
    worked = {"ask": "worked_out", "target": list(trace.tgt_ids), **head, **QUESTION}
    plain = {**worked, "taught": None}
    assert ask(service, worked)["worked_out"] != ask(service, plain)["worked_out"]


def test_two_models_are_kept_and_others_taught_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    learn = lessons.learn

    def counted(translator: Translator, lesson: Lesson, watched: bool) -> Any:
        begun.append(lesson.target)
        return learn(translator, lesson, watched)

    monkeypatch.setattr(lessons, "learn", counted)

    def shown(target: str, source: str = SOURCE) -> dict[str, Any]:
        taught = {"target": target, "source": SOURCE, "how": "sgd-2-0.05"}
        return ask(service, {"ask": "trace", "model": "en-zh", "source": source, "taught": taught})

    first = shown("早上好")
    shown("我爱你。")
    shown("早上好", "What a day!")
    shown("别迟到。")
    assert begun == ["早上好", "我爱你。", "别迟到。"]
    shown("我爱你。", "What a day!")
    assert begun[3:] == ["我爱你。"]
    assert shown("早上好") == first, "a trace that is kept needs no model"
    assert len(begun) == 4


def test_what_is_undone_is_told_and_shows_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("transformer.inside.lesson.MOST_RATE", 1e30)
    question = {**QUESTION, "taught": {"target": TARGET, "how": "sgd-9-9.0"}}
    told = ask(service, {"ask": "teach", **question})["taught"]
    assert told["undone"] in ("rose", "not_a_number")
    assert told["forgetting"] is None
    assert ask(service, {"ask": "trace", **question})["error"]["code"] == "lesson_undone"


@pytest.mark.parametrize(
    ("taught", "code"),
    [
        ([], "bad_request"),
        ("别迟到。", "bad_request"),
        ({}, "bad_request"),
        ({"target": 5}, "bad_request"),
        ({"target": "a", "steps": 5}, "bad_request"),
        ({"target": "a", "how": 5}, "bad_request"),
        ({"target": "a", "how": "sgd-10-0.02" + "0" * 99}, "bad_request"),
        ({"target": "a", "how": "sgd-51-0.02"}, "bad_lesson"),
        ({"target": "a", "how": "sgd-0-0.02"}, "bad_lesson"),
        ({"target": "a", "how": "sgd-10-0"}, "bad_lesson"),
        ({"target": "a", "how": "sgd-10-1.5"}, "bad_lesson"),
        ({"target": "a", "how": "lion-10-0.02"}, "bad_lesson"),
        ({"target": "a", "source": 5}, "bad_request"),
        ({"target": "a" * 2001}, "too_many_characters"),
        ({"target": "a", "source": "a" * 2001}, "too_many_characters"),
        ({"target": "a" * 90}, "source_too_long"),
        ({"target": "\u200b"}, "empty_target"),
        ({"target": "a", "source": " "}, "empty_source"),
    ],
)
def test_what_is_no_lesson_is_refused(service: Service, taught: object, code: str) -> None:
    for asking in ("trace", "teach", "keep"):
        asked = {"ask": asking, **QUESTION, "taught": taught, "name": "x"}
        answer = run(service.answer(asked, owner=True))
        assert json.loads(answer)["error"]["code"] == code, asking


def test_a_large_model_is_not_copied_for_strangers(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lessons, "MOST_PARAMETERS", 1000)
    assert ask(service, {"ask": "teach", **QUESTION})["error"]["code"] == "too_large_to_teach"


def test_only_the_owner_keeps_a_taught_model(
    service: Service, models: Path, translator: Translator
) -> None:
    asked = {"ask": "keep", "name": "en-zh-taught", **QUESTION}
    assert ask(service, asked)["error"]["code"] == "keeping_refused"
    for name, code in (("en-zh", "name_taken"), ("../x", "bad_name"), ("x" * 99, "bad_request")):
        answer = json.loads(run(service.answer({**asked, "name": name}, owner=True)))
        assert answer["error"]["code"] == code
    try:
        answer = json.loads(run(service.answer(asked, owner=True)))
        assert answer["kept"] in [model["name"] for model in answer["models"]]
        kept = Translator.load(models / "en-zh-taught")
        taught = inside.teach(translator, SOURCE, TARGET, 12, 0.05).translator
        assert kept.translate(SOURCE) == taught.translate(SOURCE)
        assert TARGET in kept.card["about"]["en"]
    finally:
        for file in (models / "en-zh-taught").iterdir():
            file.unlink()
        (models / "en-zh-taught").rmdir()


def test_a_trace_waits_for_one_piece_at_most_and_who_leaves_ends_it(
    translator: Translator,
) -> None:
    done: list[str] = []
    reached, go = threading.Event(), threading.Event()

    def work(_: str, items: list[str]) -> list[str | Exception]:
        done.extend(items)
        return [*items]

    batcher = Batcher[str, str, str](work)
    taught = Lessons(batcher)
    original = batcher.run

    def noted(piece: Any, client: Client = NOBODY) -> Any:
        def counted() -> Any:
            done.append("piece")
            if done.count("piece") == 3:
                reached.set()
                assert go.wait(30)
            return piece()

        return original(counted, client)

    batcher.run = noted  # pyright: ignore[reportAttributeAccessIssue]

    async def asked() -> None:
        learning = asyncio.ensure_future(
            taught.told(translator, Lesson(SOURCE, TARGET), Client("a"))
        )
        assert await asyncio.to_thread(reached.wait, 30)
        trace = batcher.submit("key", "trace", Client("b"))
        go.set()
        await asyncio.wrap_future(trace)
        learning.cancel()
        await asyncio.wait([learning])
        # Behind whatever is left of it, on its one thread.
        other = Lesson(SOURCE, "早上好", 1)
        await taught.taught(translator, other, Client("a"))

    run(asked())
    batcher.close()
    assert done.index("trace") == 3, "after the piece that had begun"
    # Of 33 pieces and more, it did a few.
    assert done.count("piece") <= 3 + 2 + 6


def test_a_queue_that_closes_leaves_nobody_waiting() -> None:
    busy, go = threading.Event(), threading.Event()
    batcher = Batcher[str, str, str](lambda _, items: [*items])

    def hold() -> None:
        busy.set()
        assert go.wait(30)

    held = batcher.run(hold)
    assert busy.wait(30)
    waiting = batcher.run(lambda: 5)
    closing = threading.Thread(target=batcher.close)
    closing.start()
    while not waiting.cancelled():
        pass
    go.set()
    closing.join()
    assert held.result() is None
    with pytest.raises(RuntimeError, match="closed"):
        batcher.run(lambda: 5)
