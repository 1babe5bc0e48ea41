"""What the server answers, and who waits for whom."""

import asyncio
import base64
import gc
import json
import threading
import weakref
from pathlib import Path
from threading import Event
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest

from tests.serving.asking import ask, run
from tests.tiny import num_hooks
from transformer import Translator, checkpoint
from transformer.inside import effect, sweep
from transformer.serving import Service
from transformer.serving import service as service_module
from transformer.serving import traces as traces_module
from transformer.serving.sharing import waiting as waiting_module
from transformer.serving.wire.requests import TraceAsked
from transformer.trace.representative import representative_heads
from transformer.trace.trace import AttentionTrace
from transformer.translator import TraceRequest

SOURCE = "I love you."
TRACE = {"ask": "trace", "source": SOURCE, "model": "en-zh"}


def test_a_model_that_names_no_representative_heads_gets_them_from_the_trace(
    service: Service,
) -> None:
    trace = AttentionTrace.from_dict(ask(service, TRACE)["trace"])
    assert set(trace.heads) == {"encoder_self", "decoder_self", "cross"}
    assert trace.heads == representative_heads(trace)


def test_a_cell_is_worked_out(service: Service, translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=4)
    request = {"ask": "worked_out", "model": "en-zh", "source": SOURCE}
    request |= {"target": [*trace.tgt_ids], "kind": "cross", "layer": 1, "head": 3}
    answered = ask(service, request)["worked_out"]
    assert set(answered) == {"query", "key", "value", "scores", "weights"}
    weights = answered["weights"]
    assert trace.cross is not None
    assert weights["shape"] == list(trace.cross.shape[2:])
    sent = np.frombuffer(base64.b64decode(weights["data"]), np.float32)
    np.testing.assert_allclose(sent, trace.cross[1, 3].ravel(), atol=1e-6)
    for change, code in (
        ({"target": []}, "bad_request"),
        ({"target": ["1"]}, "bad_request"),
        ({"kind": "self"}, "bad_request"),
        ({"layer": "0"}, "bad_request"),
        ({"layer": 7}, "unknown_head"),
        ({"interventions": "all"}, "bad_request"),
        ({"interventions": ["nonsense"]}, "bad_intervention"),
        ({"model": "none"}, "unknown_model"),
        ({"source": " "}, "empty_source"),
        ({"source": "a" * 3000}, "too_many_characters"),
    ):
        assert ask(service, request | change)["error"]["code"] == code, change


def test_the_page_is_the_models_and_a_first_trace(service: Service) -> None:
    page = ask(service, {"ask": "page"})
    assert [model["name"] for model in page["models"]] == ["en-zh", "poet"]
    assert page["model"] == "en-zh"
    assert page["trace"]["source"] == page["models"][0]["examples"][0]


def test_without_models_the_page_says_so(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path))
    assert ask(service, {"ask": "page"})["error"]["code"] == "no_models"


def test_while_a_model_loads_requests_for_loaded_ones_do_not_wait(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "trace" in ask(service, TRACE)
    on_disk, slowly = Event(), Translator.load

    def load(name: str) -> Translator:
        assert on_disk.wait(60)
        return slowly(name)

    monkeypatch.setattr(Translator, "load", load)

    async def both() -> tuple[bytes, bytes]:
        poem = asyncio.create_task(service.answer(TRACE | {"model": "poet"}))
        await asyncio.sleep(0)
        try:
            # Would wait for ever.
            at_once = await asyncio.wait_for(service.answer(TRACE | {"source": "Good"}), 30)
        finally:
            on_disk.set()
        return at_once, await poem

    answers: list[dict[str, Any]] = [json.loads(answer) for answer in run(both())]
    assert [answer["trace"]["model"] for answer in answers] == ["en-zh", "poet"]


def test_a_broken_model_that_is_mended_needs_no_new_server(
    service: Service, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path))
    whole = checkpoint.load(models / "en-zh")
    checkpoint.save(tmp_path / "en-zh", whole)
    (tmp_path / "en-zh" / checkpoint.WEIGHTS).unlink()
    for _ in range(2):
        assert ask(service, TRACE)["error"]["code"] == "broken_checkpoint"
    checkpoint.save(tmp_path / "en-zh", whole)
    assert "trace" in ask(service, TRACE)


def test_sixty_who_ask_the_same_cost_one_trace(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    traces = Translator.traces

    def count(self: Translator, requests: Any) -> Any:
        sizes.append(len(requests))
        return traces(self, requests)

    monkeypatch.setattr(Translator, "traces", count)
    answers = ask_all(service, [TRACE] * 60)
    assert sizes == [1]
    assert len({json.dumps(answer) for answer in answers}) == 1
    ask_all(service, [TRACE | {"source": f"Good {i}"} for i in range(20)])
    assert sum(sizes) == 21
    assert len(sizes) < 21


def test_a_trace_is_decoded_once_whoever_asks_about_it(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: list[str] = []
    traces = Translator.traces

    def count(self: Translator, requests: Any) -> Any:
        decoded.extend(request.source for request in requests)
        return traces(self, requests)

    monkeypatch.setattr(Translator, "traces", count)
    names = ("lens", "leave_one_out", "contributions", "value_norms")
    asked = [TRACE | {"ask": "inside", "name": name} for name in names]
    file = TRACE | {"ask": "file", "format": "npz"}
    answers = ask_all(service, [*asked, file, TRACE])
    assert [next(iter(answer)) for answer in answers] == ["inside"] * 4 + ["file", "trace"]
    assert decoded == [SOURCE]
    trace = run(service.traces.answer(TraceAsked("en-zh", TraceRequest(SOURCE)))).trace
    assert decoded == [SOURCE]
    # What is kept counts: the answer, and the arrays that it was made of.
    arrays = sum(weights.nbytes for _, weights in trace.present())
    assert service.traces._cache.size > arrays + len(json.dumps(answers[-1], separators=(",", ":")))


def test_a_model_that_was_removed_leaves_memory(service: Service) -> None:
    for name in ("residual", "lens", "costs"):
        assert "inside" in ask(service, TRACE | {"ask": "inside", "name": name})
    model = weakref.ref(service.traces.models.load("en-zh").result())
    service.traces.models.forget("en-zh")
    start = monotonic()
    while model() is not None:  # a thread that is ending may hold it a moment longer
        assert monotonic() - start < 20
        gc.collect()
        sleep(0.01)


def test_while_the_page_reads_what_is_installed_others_are_answered(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking, answered = Event(), Event()
    read = checkpoint.read_config

    def slowly(folder: Path) -> Any:
        asking.set()
        assert answered.wait(30)
        return read(folder)

    monkeypatch.setattr(checkpoint, "read_config", slowly)

    async def both() -> bytes:
        page = asyncio.create_task(service.answer({"ask": "page"}))
        await asyncio.to_thread(asking.wait, 30)
        assert b"trace" in await service.answer(TRACE)
        answered.set()
        return await page

    assert "trace" in json.loads(run(both()))


def test_many_at_once_each_get_their_own(service: Service) -> None:
    sampling = {"temperature": 1.5, "top_k": 0, "seed": 3}
    options = ({}, {"prefix": [7, 8]}, {"sampling": sampling}, {"interventions": ["cross=first"]})
    requests = [
        {"ask": "trace", "source": f"{word} {i}", "model": model} | option
        for i, option in enumerate(options)
        for word in ("I love you", "Good", " ")
        for model in ("en-zh", "poet")
        if model == "en-zh" or "interventions" not in option
    ]
    together = ask_all(service, requests)
    for request, answer in zip(requests, together, strict=True):
        alone = ask(Service(), request)
        if "error" in alone:
            assert answer == alone
            continue
        for part in ("source", "model", "tgt_ids", "prefix_length", "sampling", "interventions"):
            assert answer["trace"][part] == alone["trace"][part]


def test_two_hundred_traces_leave_nothing_behind(service: Service) -> None:
    model = service.traces.models.load("en-zh").result().model

    def left() -> tuple[int, int, int]:
        # A timer, for memory to go back, ends by itself.
        threads = [each for each in threading.enumerate() if not isinstance(each, threading.Timer)]
        return len(threads), num_hooks(model), len([*Path("/dev/fd").iterdir()])

    changes = [], ["cross=first"], ["decoder_self.L1H2=zero"], ["cross.L9=zero"]
    seen: list[tuple[int, int, int]] = []
    for part in range(5):
        asked = [TRACE | {"source": f"Good {part} {i}"} for i in range(40)]
        ask_all(service, [each | {"interventions": changes[i % 4]} for i, each in enumerate(asked)])
        seen.append(left())
    assert seen[-1][1] == 0
    assert all(last <= first for last, first in zip(seen[-1], seen[0], strict=True)), seen


def test_who_would_wait_long_is_told_the_place_and_loses_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_module, "TELL_SECONDS", 0.05)
    monkeypatch.setattr(traces_module, "LONG_SECONDS", 0.1)
    sources: list[str] = []
    traces = Translator.traces

    def slowly(self: Translator, requests: Any) -> Any:
        sleep(0.2)
        sources.extend(request.source for request in requests)
        return traces(self, requests)

    ask(service, TRACE)
    monkeypatch.setattr(Translator, "traces", slowly)
    requests = [TRACE | {"source": f"Good {i}"} for i in range(40)]
    answers = ask_all(service, requests)
    places = [answer["waiting"] for answer in answers if "waiting" in answer]
    assert places
    assert all(place["ahead"] > 0 and place["seconds"] >= 0 for place in places)
    assert "trace" in answers[0]
    for _ in range(60):
        answers = ask_all(service, requests)
        if all("trace" in answer for answer in answers):
            break
    assert [answer["trace"]["source"] for answer in answers] == [r["source"] for r in requests]
    assert sorted(sources) == sorted(r["source"] for r in requests)  # each was computed once


def test_what_is_no_trace_neither_blocks_nor_is_blocked(
    service: Service, translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = translator.trace(SOURCE, max_steps=4)
    cell = {"ask": "worked_out", "model": "en-zh", "source": SOURCE, "target": [*trace.tgt_ids]}
    cell |= {"kind": "cross", "layer": 1, "head": 3}
    ask(service, TRACE)
    saved = Event()
    traces, save = Translator.traces, AttentionTrace.save

    def wait_for_save(self: Translator, requests: Any) -> Any:
        assert saved.wait(30)
        return traces(self, requests)

    monkeypatch.setattr(Translator, "traces", wait_for_save)

    def note(self: AttentionTrace, path: Path) -> None:
        saved.set()
        save(self, path)

    monkeypatch.setattr(AttentionTrace, "save", note)
    file = {"ask": "file", "format": "npz", "trace": trace.to_dict()}
    answers = ask_all(service, [TRACE | {"source": "Good"}, cell, file])
    assert [next(iter(answer)) for answer in answers] == ["trace", "worked_out", "file"]


def ask_all(service: Service, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All at once."""

    async def gather() -> list[bytes]:
        return await asyncio.gather(*map(service.answer, requests))

    return [json.loads(answer) for answer in run(gather())]


def test_an_analysis_is_told_by_name(service: Service, translator: Translator) -> None:
    request = {"ask": "inside", "name": "sweep", "source": SOURCE, "model": "en-zh"}
    answer = ask(service, request)["inside"]
    assert answer == sweep(translator, translator.trace(SOURCE)).payload()
    change = ["cross.L2H4=zero"]
    asked = request | {"name": "effect", "options": {"interventions": change}}
    answer = ask(service, asked)["inside"]
    assert answer == effect(translator, translator.trace(SOURCE), change).payload()
    assert min(answer["divergence"]) >= 0
    for change, code in (
        ({"name": "magic"}, "bad_request"),
        ({"options": []}, "bad_request"),
        ({"prefix": "x"}, "bad_request"),
        ({"model": "none"}, "unknown_model"),
        ({"source": " "}, "empty_source"),
    ):
        assert ask(service, request | change)["error"]["code"] == code, change


def test_a_flood_of_pages_is_looked_up_once(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []
    has = service_module.at_hand

    def noted() -> dict[str, Any]:
        looked.append(1)
        sleep(0.2)
        return has()

    monkeypatch.setattr(service_module, "at_hand", noted)
    pages = ask_all(service, [{"ask": "page"}] * 100)
    assert all(page["models"] == pages[0]["models"] for page in pages)
    assert len(looked) == 1
