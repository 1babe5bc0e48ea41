"""What is taught through the server is what Python teaches, and keeps nobody else waiting."""

import asyncio
import gc
import json
import shutil
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest
from safetensors import SafetensorError

from tests.full_disk import no_room_for_files_over
from tests.serving.asking import ask, run
from transformer import Translator, inside, teach
from transformer.serving import Service, corrections, spares
from transformer.serving.corrections import CHANGES_EACH, Corrections
from transformer.serving.models import describe_all
from transformer.serving.ready import Ready
from transformer.serving.sharing.batcher import Batcher
from transformer.serving.sharing.client import NOBODY, Client
from transformer.serving.sharing.kept import Kept
from transformer.teach.change import Change
from transformer.teach.correction import Correction

SOURCE, TARGET = "I love you.", "别迟到。"
TAUGHT = {"target": TARGET, "how": "sgd-12-0.05"}
CORRECTION = Correction.of(SOURCE, TARGET, "sgd-12-0.05")
QUESTION: dict[str, Any] = {"model": "en-zh", "source": SOURCE, "taught": TAUGHT}


def test_a_correction_is_told_as_python_tells_it(service: Service, translator: Translator) -> None:
    answer = ask(service, {"ask": "teach", **QUESTION})["taught"]
    taught = teach.teach(translator, SOURCE, TARGET, 12, 0.05)
    expected = json.loads(json.dumps(taught.payload()))
    cost = teach.forgetting(translator, taught.translator).payload()
    assert answer == {**expected, "forgetting": json.loads(json.dumps(cost))}
    assert answer["losses"][-1] < answer["losses"][0]


def test_whatever_is_asked_of_the_taught_model_is_answered_by_it(
    service: Service, translator: Translator
) -> None:
    taught = teach.teach(translator, SOURCE, TARGET, 12, 0.05).translator
    trace = taught.trace(SOURCE)
    answer = ask(service, {"ask": "trace", **QUESTION})["trace"]
    assert answer["tgt_ids"] == list(trace.tgt_ids)
    assert answer["checkpoint"] == f"{translator.checkpoint}+{CORRECTION.hash}"
    assert ask(service, {"ask": "trace", **QUESTION, "taught": None})["trace"] != answer
    # A correction may be about another sentence than the one that is shown.
    other = {**QUESTION, "source": "What a day!", "taught": {**TAUGHT, "source": SOURCE}}
    shown = ask(service, {"ask": "trace", **other})["trace"]
    assert shown["checkpoint"] == answer["checkpoint"]
    assert shown["tgt_ids"] == list(taught.trace("What a day!").tgt_ids)
    lens = ask(service, {"ask": "inside", "name": "lens", **QUESTION})["inside"]
    assert lens["rank"] == inside.lens(taught, trace).rank.tolist()
    head = {"kind": "cross", "layer": 0, "head": 1, "interventions": []}
    worked = {"ask": "worked_out", "target": list(trace.tgt_ids), **head, **QUESTION}
    plain = {**worked, "taught": None}
    assert ask(service, worked)["worked_out"] != ask(service, plain)["worked_out"]


TARGETS = ["早上好" + "。" * i for i in range(CHANGES_EACH + 2)]


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The targets of the corrections that were begun, in turn."""
    targets: list[str] = []
    learn = corrections.learn

    def counted(translator: Translator, correction: Correction, watched: bool) -> Any:
        targets.append(correction.target)
        return learn(translator, correction, watched)

    monkeypatch.setattr(corrections, "learn", counted)
    return targets


def question(target: str, source: str = SOURCE, **asked: object) -> dict[str, Any]:
    taught = {"target": target, "source": SOURCE, "how": "sgd-1-0.05"}
    return {"ask": "trace", "model": "en-zh", "source": source, "taught": taught, **asked}


def answered(service: Service, page: str, request: object) -> dict[str, Any]:
    return json.loads(run(service.answer(request, Client("router", page))))


def test_a_class_with_a_correction_each_is_taught_once(service: Service, begun: list[str]) -> None:
    for source in (SOURCE, "What a day!"):
        for i, target in enumerate(TARGETS):
            assert answered(service, f"{i}", question(target, source))["trace"]
    assert begun == TARGETS


def test_a_page_that_teaches_on_and_on_teaches_the_rest_of_the_class_nothing_anew(
    service: Service, begun: list[str]
) -> None:
    answered(service, "one", question("别迟到。"))
    for target in TARGETS[: CHANGES_EACH + 1]:
        answered(service, "another", question(target))
    assert begun.pop(0) == "别迟到。"
    answered(service, "one", question("别迟到。", "What a day!"))
    answered(service, "another", question(TARGETS[CHANGES_EACH], "What a day!"))
    assert begun == TARGETS[: CHANGES_EACH + 1]
    answered(service, "another", question(TARGETS[0], "What a day!"))
    assert begun[-1] == TARGETS[0], "the first of its own was let go"


def test_what_is_let_go_is_taught_again_to_the_same_bits(
    service: Service, begun: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corrections, "CHANGES_BYTES", 1)
    forgetful = Service()
    first = answered(forgetful, "", question("别迟到。"))
    asked = question("别迟到。", ask="inside", name="lens")
    lens = answered(forgetful, "", asked)
    assert len(begun) == 2
    # The same questions again need no model.
    assert answered(forgetful, "", question("别迟到。")) == first
    assert answered(forgetful, "", asked) == lens
    assert len(begun) == 2
    assert answered(service, "", question("别迟到。")) == first
    assert answered(service, "", asked) == lens


def test_what_is_kept_of_corrections_is_what_is_counted(
    service: Service, translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Change] = []
    put = Kept[Any, Any].put

    def noted(self: Kept[Any, Any], key: Any, value: Any, owner: Any = None) -> None:
        kept.extend([value] if isinstance(value, Change) else [])
        put(self, key, value, owner)

    monkeypatch.setattr(Kept, "put", noted)
    for optimizer in ("sgd", "adam"):
        how = f"{optimizer}-3-0.01"
        asked = question("", taught={"target": TARGET, "how": how})
        assert answered(service, "", asked)["trace"]
    weights = sum(parameter.numel() for parameter in translator.model.parameters())
    for change in kept:
        tensors = [t for b in change.blocks.values() for t in (b.lines, b.at) if t is not None]
        held = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors}
        assert len(change) == sum(held.values()) < 2 * weights
    assert len(kept) == 2


MEMORY = """
import asyncio
from pathlib import Path
from transformer.serving import Service, corrections, spares

corrections.CHANGES_BYTES = corrections.PAYLOAD_BYTES = 1
service = Service()

def memory():
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1000

def teach(source):
    taught = {"target": "别迟到。", "how": "sgd-2-0.02"}
    asked = {"ask": "teach", "model": "en-zh", "source": source, "taught": taught}
    assert b'"losses"' in asyncio.run(service.answer(asked))

asyncio.run(service.answer({"ask": "trace", "model": "en-zh", "source": "I love you."}))
before = memory()
for i in range(6):
    teach("It was a " + "very " * 40 + f"long day, day {i}.")
assert memory() - before <= 50, memory() - before
"""


@pytest.mark.slow  # a process of its own, and a model of full size
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_what_a_correction_needed_goes_back_to_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADLIGHT_CHECKPOINTS")  # a model of full size
    done = subprocess.run([sys.executable, "-c", MEMORY], stderr=subprocess.PIPE, timeout=120)
    assert not done.returncode, done.stderr.decode()


def test_nobody_who_waits_holds_a_learnt_model(translator: Translator) -> None:
    taught = Corrections(Batcher[Any, Any, Any](lambda _, items: items).run)
    ready = run(taught.taught(translator, CORRECTION))
    one, other = ready.translator(), Ready(translator, ready.change).translator()
    assert one is other, "those who work with it share it"
    gone = weakref.ref(one)
    del one, other
    gc.collect()
    assert gone() is None


def test_the_next_learnt_model_takes_the_memory_of_one_that_nobody_has(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("transformer.serving.ready._spares", spares.Spares())
    taught = Corrections(Batcher[Any, Any, Any](lambda _, items: items).run)
    ready = run(taught.taught(translator, CORRECTION))
    other = run(taught.taught(translator, Correction.of(SOURCE, "早上好", "sgd-1-0.02")))
    assert other.change
    one, beside = ready.translator(), other.translator()
    assert one.model is not beside.model
    before, model = one.trace(SOURCE), one.model
    del one
    again = Ready(translator, Change(other.change.hash, other.change.blocks)).translator()
    assert again.model is model
    assert (again.trace(SOURCE).cross == beside.trace(SOURCE).cross).all()
    del again
    again = ready.translator()
    assert again.model is model
    assert (again.trace(SOURCE).cross == before.cross).all()


def test_no_learnt_model_is_kept_for_long_that_nobody_has(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spares, "KEEP_SECONDS", 0.01)
    monkeypatch.setattr("transformer.serving.ready._spares", spares.Spares())
    ready = run(
        Corrections(Batcher[Any, Any, Any](lambda _, items: items).run).taught(
            translator, CORRECTION
        )
    )
    model, gone = ready.translator().model, threading.Event()
    weakref.finalize(model, gone.set)
    del model
    assert gone.wait(30)


def test_what_is_undone_is_told_and_shows_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("transformer.teach.correction.MOST_RATE", 1e30)
    question = {**QUESTION, "taught": {"target": TARGET, "how": "sgd-9-9.0"}}
    answer = ask(service, {"ask": "teach", **question})["taught"]
    assert answer["undone"] in ("rose", "not_a_number")
    assert answer["forgetting"] is None
    assert ask(service, {"ask": "trace", **question})["error"]["code"] == "correction_undone"


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
        ({"target": "a", "how": "sgd-51-0.02"}, "bad_correction"),
        ({"target": "a", "how": "sgd-0-0.02"}, "bad_correction"),
        ({"target": "a", "how": "sgd-10-0"}, "bad_correction"),
        ({"target": "a", "how": "sgd-10-1.5"}, "bad_correction"),
        ({"target": "a", "how": "lion-10-0.02"}, "bad_correction"),
        ({"target": "a", "source": 5}, "bad_request"),
        ({"target": "a" * 2001}, "too_many_characters"),
        ({"target": "a", "source": "a" * 2001}, "too_many_characters"),
        ({"target": "a" * 90}, "source_too_long"),
        ({"target": "\u200b"}, "empty_target"),
        ({"target": "a", "source": " "}, "empty_source"),
    ],
)
def test_what_is_no_correction_is_refused(service: Service, taught: object, code: str) -> None:
    for asking in ("trace", "teach", "keep"):
        asked = {"ask": asking, **QUESTION, "taught": taught, "name": "x"}
        answer = run(service.answer(asked, owner=True))
        assert json.loads(answer)["error"]["code"] == code, asking


def test_a_large_model_is_not_copied_for_strangers(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corrections, "MOST_PARAMETERS", 1000)
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
        taught = teach.teach(translator, SOURCE, TARGET, 12, 0.05).translator
        assert kept.translate(SOURCE) == taught.translate(SOURCE)
        assert TARGET in kept.card["about"]["en"]
    finally:
        for file in (models / "en-zh-taught").iterdir():
            file.unlink()
        (models / "en-zh-taught").rmdir()


@pytest.fixture
def own(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of checkpoints where things may go wrong."""
    shutil.copytree(models / "en-zh", tmp_path / "en-zh")
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path))
    return tmp_path


KEEP = {"ask": "keep", "name": "mine", **QUESTION}


def test_a_disk_that_is_full_is_said_and_takes_no_name(
    service: Service, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(service.answer({**QUESTION, "ask": "trace"}))
    with no_room_for_files_over(10_000):
        answer = json.loads(run(service.answer(KEEP, owner=True)))
    assert answer["error"]["code"] == "cannot_store"
    assert answer["error"]["details"]["reason"] == "File too large"

    def full(*_: object) -> None:
        raise SafetensorError("Error while serializing: No space left on device (os error 28)")

    with monkeypatch.context() as patch:
        patch.setattr("transformer.checkpoint.weights.save_file", full)
        answer = json.loads(run(service.answer(KEEP, owner=True)))
    assert answer["error"]["code"] == "disk_full"
    assert sorted(path.name for path in own.iterdir()) == ["en-zh"]
    assert json.loads(run(service.answer(KEEP, owner=True)))["kept"] == "mine"


@pytest.mark.slow
def test_who_is_killed_while_keeping_takes_no_name(service: Service, own: Path) -> None:
    code = (
        "import os, sys; from transformer import Translator, inside, teach\n"
        "from transformer.checkpoint import weights\n"
        "from transformer.teach.keeping import keep\n"
        "taught = teach.teach(Translator.load('en-zh'), 'I love you.', '早上好', 1)\n"
        "weights.save_file = lambda *_: os._exit(9)\n"
        "keep(taught.translator, taught.correction, 'mine')\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    assert [model["name"] for model in describe_all()] == ["en-zh"]
    (own / "mine").mkdir(exist_ok=True)  # as a file manager may leave one
    answer = json.loads(run(service.answer(KEEP, owner=True)))
    assert answer["kept"] == "mine"
    assert sorted(path.name for path in own.iterdir()) == ["en-zh", "mine"]
    assert Translator.load("mine").translate(SOURCE)
    again = json.loads(run(service.answer(KEEP, owner=True)))
    assert again["error"]["code"] == "name_taken"


def test_a_trace_waits_for_one_piece_at_most_and_who_leaves_ends_it(
    translator: Translator,
) -> None:
    done: list[str] = []
    reached, go = threading.Event(), threading.Event()

    def work(_: str, items: list[str]) -> list[str | Exception]:
        done.extend(items)
        return [*items]

    batcher = Batcher[str, str, str](work)
    original = batcher.run

    def noted(work: Any, client: Client = NOBODY) -> Any:
        def counted() -> Any:
            done.append("piece")
            if done.count("piece") == 3:
                reached.set()
                assert go.wait(30)
            return work()

        return original(counted, client)

    taught = Corrections(noted)

    async def asked() -> None:
        learning = asyncio.ensure_future(
            taught.payload(translator, Correction(SOURCE, TARGET), Client("a"))
        )
        assert await asyncio.to_thread(reached.wait, 30)
        trace = batcher.submit("key", "trace", Client("b"))
        go.set()
        await asyncio.wrap_future(trace)
        learning.cancel()
        await asyncio.wait([learning])
        # Behind whatever is left of it, on its one thread.
        other = Correction(SOURCE, "早上好", 1)
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
