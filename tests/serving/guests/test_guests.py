"""Guests behind the server: a process of their own, in turns, that may be left, and may end."""

import asyncio
import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from tests.checkpoint.hub import Hub
from tests.guests.folders import decoder, encoder, pair
from tests.serving.asking import ask, run
from transformer.checkpoint.hub.progress import Progress
from transformer.checkpoint.importing.as_it_is import remove_as_it_is
from transformer.errors import HeadlightError
from transformer.serving import Service, tools
from transformer.serving.guests import files as guest_files
from transformer.serving.guests import process as guest_process
from transformer.serving.guests import worker
from transformer.serving.guests.guests import Guests
from transformer.serving.sharing.client import NOBODY
from transformer.trace.trace import AttentionTrace

TEXT = "The bank of the river was muddy."
MANY = " ".join([TEXT] * 10)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of each form."""
    root = tmp_path_factory.mktemp("guests")
    for name, make in (("decoder", decoder), ("encoder", encoder), ("pair", pair)):
        make(root / name)
    return root


@pytest.fixture(scope="module")
def guests(folder: Path) -> Iterator[Service]:
    """A server of them."""
    service = Service()
    for path in sorted(folder.iterdir()):
        service.guests.add(str(path))
    yield service
    service.close()


def answer(service: Service, request: dict[str, Any]) -> dict[str, Any]:
    """An answer, asked for until it is there, as the page does."""
    while "waiting" in (reply := ask(service, request)):
        assert reply["waiting"]["stage"] in ("", "fetching", "loading", "computing")
    return reply


def test_weights_are_those_that_transformers_returns(guests: Service, folder: Path) -> None:
    reply = answer(guests, {"ask": "trace", "model": "encoder", "source": TEXT})
    packed = reply["trace"]["encoder_self"]
    assert packed["dtype"] == "uint16"
    model: Any = transformers.AutoModelForMaskedLM.from_pretrained(
        folder / "encoder", attn_implementation="eager"
    ).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / "encoder")
    with torch.no_grad():
        own = model(**tokenizer(TEXT, return_tensors="pt"), output_attentions=True).attentions
    file = answer(guests, {"ask": "file", "format": "npz", "model": "encoder", "source": TEXT})[
        "file"
    ]
    trace = saved(file)
    assert trace.encoder_self is not None
    np.testing.assert_allclose(trace.encoder_self, torch.cat(own).numpy(), atol=3e-6)
    card = reply["guest"]
    assert card["heads"] == {"encoder_self": {"layers": 2, "heads": 4, "key_value": 4}}
    assert card["masks"]
    assert card["lacks"]["why"] == "ours"
    assert card["eager"] < 3e-6


def saved(file: str) -> AttentionTrace:
    """A trace that came as a file."""
    import base64
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder, "trace.npz")
        path.write_bytes(base64.b64decode(file))
        return AttentionTrace.load(path)


def test_what_is_not_asked_of_guests_is_refused_by_code(guests: Service) -> None:
    about = {"model": "pair", "source": TEXT}
    for request, code in (
        ({"ask": "inside", "name": "why", "options": {"step": 0, "token": 1}}, "ours_alone"),
        ({"ask": "teach", "taught": {"target": "D"}}, "ours_alone"),
        ({"ask": "trace", "taught": {"target": "D"}}, "ours_alone"),
        ({"ask": "trace", "guest": {"chat": True}}, "not_offered"),
        ({"ask": "trace", "guest": {"target_language": "</s>"}}, "not_offered"),
        ({"ask": "trace", "guest": {"hidden": [1]}}, "not_offered"),
        ({"ask": "trace", "model": "decoder", "guest": {"hidden": [1]}}, "not_offered"),
        ({"ask": "trace", "model": "encoder", "guest": {"hidden": [99]}}, "bad_intervention"),
        ({"ask": "trace", "guest": {"hidden": "all"}}, "bad_request"),
        ({"ask": "trace", "guest": {"other": 1}}, "bad_request"),
        ({"ask": "trace", "interventions": ["cross.L9H1=zero"]}, "bad_intervention"),
        ({"ask": "inside", "name": "none"}, "bad_request"),
        # Prompts at the limits: more tokens than it reads, more characters than are sent.
        ({"ask": "trace", "model": "encoder", "source": "a " * 999}, "source_too_long"),
        ({"ask": "trace", "model": "encoder", "source": "a" * 20_001}, "too_many_characters"),
        (
            {"ask": "trace", "model": "encoder", "guest": {"second": "a" * 20_001}},
            "too_many_characters",
        ),
        ({"ask": "trace", "model": "encoder", "guest": {"second": " "}}, "empty_source"),
        ({"ask": "trace", "guest": {"second": "D"}}, "not_offered"),
        (
            {"ask": "trace", "model": "decoder", "guest": {"second": "D", "chat": True}},
            "not_offered",
        ),
    ):
        assert answer(guests, about | request)["error"]["code"] == code, request
    ours = {"ask": "trace", "model": "en-zh", "source": TEXT, "guest": {"chat": True}}
    assert ask(guests, ours)["error"]["code"] == "bad_request"


def test_texts_of_guests_are_as_long_as_what_they_read(guests: Service) -> None:
    long = {"source": "a" * 20_000, "guest": {"second": "b" * 20_000}}
    reply = answer(guests, {"ask": "trace", "model": "encoder"} | long)
    assert reply["trace"]["src"].count("[UNK]") == 2
    ours = {"ask": "trace", "model": "en-zh", "source": "a" * 2_001}
    assert ask(guests, ours)["error"]["details"] == {"length": 2_001, "limit": 2_000}


def test_a_process_that_is_killed_is_a_sentence_and_begins_anew(guests: Service) -> None:
    request = {"ask": "trace", "model": "decoder", "source": TEXT}
    assert "trace" in answer(guests, request)
    process = guests.guests.process
    first = process.pid
    assert first is not None

    async def killed() -> dict[str, Any]:
        asking = asyncio.ensure_future(guests.answer({**request, "source": MANY}))
        while process.stage != "computing":
            await asyncio.sleep(0.01)
        os.kill(first, signal.SIGKILL)
        return json.loads(await asking)

    assert run(killed())["error"]["code"] == "guest_ended"
    assert "trace" in answer(guests, {**request, "source": f"{TEXT} Again"})
    assert process.pid not in (None, first)


@pytest.mark.parametrize(
    ("stage", "code"), [("loading", "guest_loading"), ("computing", "guest_slow")]
)
def test_what_takes_too_long_is_ended(
    stage: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    says = f"""print('{{"stage": "{stage}"}}', flush=True); import time; time.sleep(60)"""
    monkeypatch.setattr(guest_process, "START", says)
    monkeypatch.setattr(guest_process, "MOST_LOADING", 0.2)
    process = guest_process.GuestProcess(0.2)
    with pytest.raises(HeadlightError, match="longer than 0 seconds") as refused:
        process.ask({}, lambda: False)
    assert refused.value.code == code
    assert process.pid is None
    process.close()


def test_a_core_of_those_that_it_may_have_is_left_to_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {*range(6)}, raising=False)
    monkeypatch.setattr(worker, "QUOTA", tmp_path / "cpu.max")
    for quota, threads in ((None, 5), ("max 100000", 5), ("350000 100000", 2), ("50000 100000", 1)):
        if quota is not None:
            worker.QUOTA.write_text(quota, encoding="ascii")
        assert worker.threads() == threads


def test_a_folder_that_has_gone_since_is_a_sentence(
    guests: Service, folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder / "decoder", tmp_path / "gone")
    guests.guests.add(str(tmp_path / "gone"))
    shutil.rmtree(tmp_path / "gone")
    error = answer(guests, {"ask": "trace", "model": "gone", "source": TEXT})["error"]
    assert (error["code"], error["details"]) == ("guest_gone", {"model": "gone"})


def test_whoever_leaves_ends_what_is_computed(
    guests: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(guests, {"ask": "trace", "model": "pair", "source": TEXT})
    process = guests.guests.process
    before = process.pid
    # Its sixty-four steps take longer than a look whether anybody is still there.
    monkeypatch.setattr(guest_process, "LOOK", 0.001)
    place = next(it.place for it in guests.guests.named() if it.name == "pair")
    values = {"ask": "trace", "model": "pair", "source": f"{TEXT} Again."}
    with pytest.raises(HeadlightError) as left:
        process.ask(
            {"name": "pair", "place": place, "values": values, "most_whole": 10**6}, lambda: True
        )
    assert left.value.code == "cancelled"
    # It was asked to leave, and not killed.
    assert process.pid == before


def test_what_does_not_fit_into_memory_is_refused_before_it_is_loaded(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    files = guest_files.files_of(str(folder / "pair"))
    assert files.size == (folder / "pair" / "model.safetensors").stat().st_size
    guest_files.check_fits("pair", files)
    monkeypatch.setattr(guest_files, "free_memory", lambda: files.size)
    with pytest.raises(HeadlightError, match=r"pair needs 0\.0 GB of memory") as refused:
        guest_files.check_fits("pair", files)
    assert refused.value.code == "guest_too_large"
    # In half precision it takes half of that.
    assert files.width == 4
    guest_files.check_fits("pair", files, "bfloat16")


def test_what_a_pickle_takes_in_memory_is_what_its_configuration_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text('{"torch_dtype": "float16"}', encoding="utf-8")
    (tmp_path / "pytorch_model.bin").write_bytes(bytes(1000))
    files = guest_files.files_of(str(tmp_path))
    assert (files.width, files.dtype) == (2, "float16")
    monkeypatch.setattr(guest_files, "free_memory", lambda: 1300)
    guest_files.check_fits("half", files)
    with pytest.raises(HeadlightError):
        guest_files.check_fits("half", files, "float32")


@pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
@pytest.mark.usefixtures("shelf")
def test_a_revision_is_fetched_beside_another(hub: Hub, folder: Path) -> None:
    hub.models["me/pair"] = {"main": folder / "pair", "v1.0": folder / "decoder"}
    old, new = (guest_files.files_of(it) for it in ("me/pair@v1.0", "me/pair"))
    assert old.revision != new.revision
    assert (old.folder / "config.json").read_bytes() == (
        folder / "decoder" / "config.json"
    ).read_bytes()
    guests = Guests()
    for text in ("me/pair@v1.0", "me/pair"):
        assert guests.add(text) == text
    assert [it["guest"]["form"] for it in guests.described()] == ["decoder", "encoder-decoder"]
    for text in ("me/pair@none", "me/pair@../x"):
        with pytest.raises(HeadlightError) as refused:
            guest_files.files_of(text)
        assert refused.value.code == "no_such_model"
    remove_as_it_is("me/pair@v1.0")
    assert new.folder.exists()


# Hugging Face asks for a normaliser that it then never calls.
@pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
@pytest.mark.usefixtures("shelf")
def test_a_model_of_the_hub_is_fetched_as_it_is_and_removed(hub: Hub, folder: Path) -> None:
    service = Service()
    service.guests.open = True
    hub.models["me/pair"] = {"main": folder / "pair"}
    hub.overrides = {"config": json.loads((folder / "pair" / "config.json").read_text("utf-8"))}

    def wish(what: str, model: str = "") -> dict[str, Any]:
        request = {"ask": "downloads", "wish": what, "model": model}
        return json.loads(run(service.answer(request, owner=True)))

    listing = wish("look_up", "me/pair")["listing"]
    assert (listing["family"], listing["form"]) == ("t5", "encoder-decoder")
    wish("start", "me/pair")
    while wish("progress")["download"]["stage"] not in ("done", "failed"):
        sleep(0.02)
    reply = wish("progress")
    assert reply["download"]["name"] == "me/pair"
    assert reply["download"]["received"] == listing["size"]
    assert reply["models"][0]["guest"] == {"form": "encoder-decoder", "folder": False}
    [here] = wish("offers")["offers"]["here"]
    assert (here["name"], here["license"]) == ("me/pair", "cc-by-4.0")
    # It is there when the page is opened again.
    again = Guests()
    assert again.add("me/pair") == "me/pair"
    [named] = again.named()
    files = guest_files.files_of(named.place)
    assert named.revision == files.revision != ""
    assert (files.folder / "model.safetensors").read_bytes() == (
        folder / "pair" / "model.safetensors"
    ).read_bytes()
    assert files.license == "cc-by-4.0"
    assert "me/pair" not in [it["name"] for it in wish("remove", "me/pair")["models"]]
    assert not files.folder.exists()
    # One that is named to the command comes the same way.
    seen: list[int] = []
    named = guest_files.files_of("me/pair", Progress(lambda it: seen.append(it.received)))
    assert named.size == files.size == seen[-1] - (listing["size"] - files.size)
    remove_as_it_is("me/pair")
    for reply, code in (
        ({"config": {"model_type": "longformer"}}, "guest_undrawn"),
        ({"siblings": [{"rfilename": "config.json", "size": 2}]}, "guest_weights"),
    ):
        hub.overrides = reply
        assert wish("look_up", "me/pair")["error"]["code"] == code
    own = wish("look_up", str(folder / "encoder"))["listing"]
    assert (own["family"], own["form"]) == ("bert", "encoder")
    assert wish("start", str(folder / "encoder"))["download"]["name"] == "encoder"
    service.close()


@pytest.mark.slow
def test_a_guest_computes_in_what_is_asked_for(folder: Path) -> None:
    service = Service()
    service.guests.add(str(folder / "decoder"))
    service.guests.dtype = "bfloat16"
    reply = answer(service, {"ask": "trace", "model": "decoder", "source": TEXT})
    service.close()
    assert reply["guest"]["dtype"] == reply["trace"]["origin"]["dtype"] == "bfloat16"


def test_programs_are_told_what_a_guest_writes(guests: Service, folder: Path) -> None:
    trace = run(guests.guests.traced("pair", {"source": TEXT}, NOBODY))
    kind: Any = transformers.AutoModelForSeq2SeqLM
    model = kind.from_pretrained(folder / "pair").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / "pair")
    with torch.no_grad():
        own = model.generate(**tokenizer(TEXT, return_tensors="pt"), max_new_tokens=64)[0]
    assert trace.translation == tokenizer.decode(own, skip_special_tokens=True).strip()
    assert tools.trace_summary(trace)["translation"] == trace.translation


def test_names_of_guests_are_no_paths(folder: Path, tmp_path: Path) -> None:
    guests = Guests()
    first = guests.add(str(folder / "pair"))
    assert first == guests.add(str(folder / "pair")) == "pair"
    (tmp_path / "pair").mkdir()
    (tmp_path / "pair" / "config.json").write_text('{"architectures": 3}', encoding="utf-8")
    assert guests.add(str(tmp_path / "pair"), frozenset({"pair-2"})) == "pair-3"
    assert guests.add("google-t5/t5-small") == "google-t5/t5-small"
    assert str(tmp_path) not in json.dumps(guests.described())
    forms = {it["name"]: it["guest"]["form"] for it in guests.described()}
    assert forms["pair"] == "encoder-decoder"
    for text, why in (("./none", "no such folder"), (str(tmp_path), "no config.json")):
        with pytest.raises(HeadlightError, match=why):
            guests.add(text)
