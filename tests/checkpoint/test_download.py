"""Models of a hub, fetched and installed; the hub is our own, on loopback."""

import errno
import os
import re
import shutil
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub.constants
import pytest
import torch
from safetensors.torch import load_file

from tests.checkpoint.hub import MODEL, Hub
from transformer import HeadlightError, Translator, checkpoint
from transformer.__main__ import main
from transformer.checkpoint.alone import alone
from transformer.checkpoint.hub.progress import Progress
from transformer.checkpoint.importing import download as downloads
from transformer.checkpoint.importing import families
from transformer.checkpoint.importing.download import OFFERED, download, is_downloaded, remove
from transformer.checkpoint.importing.families import offered

# Hugging Face asks for a normaliser that it then never calls.
pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")

TITLE = "Adding `safetensors` variant of this model"


@pytest.fixture
def pickled(saved: Path, tmp_path: Path) -> Path:
    """As OPUS-MT's main branches are."""
    folder = tmp_path / "main"
    shutil.copytree(saved, folder)
    weights = load_file(folder / "model.safetensors")
    torch.save(weights, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    (folder / "rust_model.ot").write_bytes(b"nothing that is read")
    return folder


@pytest.fixture
def hub(hub: Hub, pickled: Path) -> Hub:
    """Of its model there is a pickle alone."""
    hub.models[MODEL] = {"main": pickled}
    return hub


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's data folder."""
    monkeypatch.delenv("HEADLIGHT_CHECKPOINTS", raising=False)
    monkeypatch.setenv("HEADLIGHT_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def files_below(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file()]


def refused(*arguments: str, progress: Progress | None = None) -> HeadlightError:
    """What a download is refused with."""
    with pytest.raises(HeadlightError) as error:
        download(*arguments, progress=progress)
    assert str(error.value).count("\n") == 0
    return error.value


def test_a_model_is_fetched_beside_those_that_came_along_and_traced(hub: Hub, data: Path) -> None:
    before = checkpoint.available()
    messages: list[tuple[str, int, int]] = []
    progress = Progress(lambda p: messages.append((p.stage, p.received, p.total)))
    folder = download(MODEL, progress=progress)
    assert folder == data / "checkpoints" / "opus-mt-en-zh"
    assert checkpoint.available() == sorted([*before, "opus-mt-en-zh"])
    assert "en-zh" in before
    trace = Translator.load("opus-mt-en-zh", device="cpu").trace("I love you.")
    assert trace.cross is not None
    assert not any("rust_model.ot" in path for path in hub.asked)
    # Nothing of the way there is left.
    assert files_below(data).count("config.json") == 1
    assert "pytorch_model.bin" not in files_below(data)
    assert [stage for stage, *_ in messages[:1]] == ["asking"]
    assert [stage for stage, *_ in messages[-2:]] == ["installing", "done"]
    received = [bytes_here for stage, bytes_here, _ in messages if stage == "fetching"]
    assert received == sorted(received)
    assert received[-1] == messages[-1][2] == offered(MODEL).size
    assert (progress.stage, progress.received) == ("done", progress.total)


def test_size_licence_and_the_pickle_are_known_before_anything_is_fetched(hub: Hub) -> None:
    listing = offered(MODEL)
    assert listing.license == "cc-by-4.0"
    assert listing.weights.name == "pytorch_model.bin"
    folder = hub.models[MODEL]["main"]
    names = {file.name for file in listing.files}
    assert {"config.json", "vocab.json", "source.spm", "target.spm"} < names
    assert listing.size == sum((folder / name).stat().st_size for name in names)
    assert not any("resolve" in path for path in hub.asked)


def test_safetensors_come_first(hub: Hub, saved: Path) -> None:
    shutil.copy(saved / "model.safetensors", hub.models[MODEL]["main"])
    assert offered(MODEL).weights.name == "model.safetensors"
    assert not any("discussions" in path for path in hub.asked)


def converted(hub: Hub, saved: Path, folder: Path, number: int, author: str) -> None:
    """A pull request that adds safetensors to what there is."""
    shutil.copytree(hub.models[MODEL]["main"], folder)
    shutil.copy(saved / "model.safetensors", folder)
    hub.models[MODEL][f"refs/pr/{number}"] = folder
    hub.requests.setdefault(MODEL, []).append((number, author, TITLE))


def test_then_comes_the_hubs_own_conversion(hub: Hub, saved: Path, tmp_path: Path) -> None:
    converted(hub, saved, tmp_path / "stranger", 3, "somebody")
    converted(hub, saved, tmp_path / "bot", 7, "SFconvertbot")
    weights = offered(MODEL).weights
    assert weights.name == "model.safetensors"
    assert not any("refs/pr/3" in path for path in hub.asked)
    folder = download(MODEL)
    assert not any("pytorch_model.bin" in path for path in hub.asked)
    assert any(f"resolve/{weights.revision}/model.safetensors" in path for path in hub.asked)
    assert Translator.load(folder).translate("I love you.")


def test_a_conversion_of_other_weights_is_left(hub: Hub, saved: Path, tmp_path: Path) -> None:
    converted(hub, saved, tmp_path / "bot", 7, "SFconvertbot")
    with (tmp_path / "bot" / "pytorch_model.bin").open("ab") as file:
        file.write(b"before an update")
    assert offered(MODEL).weights.name == "pytorch_model.bin"


def test_closed_discussions_are_no_obstacle(hub: Hub) -> None:
    hub.closed = True
    assert offered(MODEL).weights.name == "pytorch_model.bin"


def test_a_revision_is_taken_as_it_is(hub: Hub, saved: Path, tmp_path: Path) -> None:
    converted(hub, saved, tmp_path / "stranger", 3, "somebody")
    assert offered(MODEL, "refs/pr/3").weights.name == "model.safetensors"


def test_a_cancelled_download_goes_on_from_where_it_ended(hub: Hub, data: Path) -> None:
    def cancel_among_the_weights(progress: Progress) -> None:
        if progress.received > listing.size - listing.weights.size:
            progress.cancel()

    listing = offered(MODEL)
    error = refused(MODEL, progress=Progress(cancel_among_the_weights))
    assert error.code == "download_cancelled"
    assert "opus-mt-en-zh" not in checkpoint.available()
    hub.asked.clear()
    download(MODEL)
    assert "opus-mt-en-zh" in checkpoint.available()
    assert not any("vocab.json" in path for path in hub.asked)
    assert not (data / "checkpoints" / ".downloads" / MODEL.replace("/", "--")).exists()


def test_what_broke_off_goes_on(hub: Hub) -> None:
    hub.cut = 20_000
    error = refused(MODEL)
    assert error.code == "hub_unreachable"
    hub.cut = 0
    hub.asked.clear()
    folder = download(MODEL)
    assert any(path.endswith("pytorch_model.bin bytes=20000-") for path in hub.asked)
    assert Translator.load(folder).translate("I love you.")


def test_a_hub_that_cannot_go_on_starts_again(hub: Hub) -> None:
    hub.cut, hub.ranges = 20_000, False
    refused(MODEL)
    hub.cut = 0
    assert Translator.load(download(MODEL)).translate("I love you.")


def test_damaged_weights_are_refused_and_fetched_anew(hub: Hub) -> None:
    hub.damage = True
    error = refused(MODEL)
    assert error.code == "broken_checkpoint"
    assert "damaged on its way" in str(error)
    hub.damage = False
    assert download(MODEL).exists()


@pytest.mark.parametrize("name", ["config.json", "vocab.json"])
def test_small_files_of_another_content_are_refused_and_fetched_anew(hub: Hub, name: str) -> None:
    hub.damaged = {name}
    error = refused(MODEL)
    assert f"{name}: damaged on its way" in str(error)
    hub.damaged = set()
    assert Translator.load(download(MODEL)).translate("I love you.")


def test_of_a_hub_that_tells_no_hashes_what_is_no_use_is_fetched_anew(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    siblings = [
        {key: value for key, value in file.items() if key != "blobId"}
        for file in hub.describe(MODEL, "main")["siblings"]
    ]
    monkeypatch.setitem(hub.overrides, "siblings", siblings)
    hub.damaged = {"config.json"}
    assert "config.json: not JSON" in str(refused(MODEL))
    hub.damaged = set()
    assert Translator.load(download(MODEL)).translate("I love you.")


def test_what_was_fetched_and_then_damaged_here_is_fetched_anew(hub: Hub, data: Path) -> None:
    hub.cut = 20_000
    refused(MODEL)
    hub.cut = 0
    (kept,) = (data / "checkpoints").rglob("vocab.json")
    kept.write_bytes(bytes(kept.stat().st_size))  # as a power cut can leave it
    assert Translator.load(download(MODEL)).translate("I love you.")


@pytest.mark.parametrize(
    ("overrides", "code"),
    [
        ({"config": {"model_type": []}}, "unknown_family"),
        ({"config": {"model_type": {"a": 1}}}, "unknown_family"),
        ({"siblings": None}, "unknown_family"),
        ({"siblings": [{"rfilename": "config.json", "size": "many"}]}, "hub_unreachable"),
        ({"siblings": [{"size": 1}]}, "hub_unreachable"),
        ({"siblings": 7}, "hub_unreachable"),
        ({"sha": ["a"]}, "hub_unreachable"),
    ],
)
def test_whatever_a_hub_tells_gets_a_sentence(
    hub: Hub, overrides: dict[str, Any], code: str
) -> None:
    hub.overrides = overrides
    assert refused(MODEL).code == code


@pytest.mark.parametrize("card", [[], ["a"], "a", {"license": ["a", "b"]}, {"license": {"a": 1}}])
def test_a_card_on_the_hub_that_is_none_tells_no_licence(hub: Hub, card: object) -> None:
    hub.overrides = {"cardData": card, "config": []}
    assert offered(MODEL).license == ""


def test_a_pickle_is_neither_fetched_nor_read_by_an_old_pytorch(
    hub: Hub, saved: Path, pickled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch, "__version__", "2.9.1+cpu")
    error = refused(MODEL)
    assert error.code == "unknown_family"
    assert re.search(r"2\.10 and newer alone, and this is 2\.9\.1.*pip install", str(error))
    assert not any("resolve" in path for path in hub.asked)
    assert main(["import-marian", str(pickled), "mine"]) == 2
    assert main(["import-marian", str(saved), "theirs"]) == 0  # safetensors


def test_two_processes_do_not_fetch_one_model(hub: Hub, data: Path) -> None:
    folder = data / "checkpoints" / ".downloads"
    folder.mkdir(parents=True)
    with alone(folder / f"{MODEL.replace('/', '--')}.lock"):
        assert refused(MODEL).code == "download_running"
    assert hub.models
    assert download(MODEL).exists()
    assert files_below(folder) == []


def test_a_hostile_hub_reaches_no_other_folder(hub: Hub, data: Path) -> None:
    hub.commit = "../../../elsewhere"
    assert refused(MODEL).code == "hub_unreachable"
    assert not data.exists()


def test_a_hostile_model_leaves_nothing(hub: Hub, data: Path) -> None:
    class Program:
        def __reduce__(self) -> tuple[object, ...]:
            return os.mkdir, (str(data / "ran"),)

    torch.save({"a": Program()}, hub.models[MODEL]["main"] / "pytorch_model.bin")
    assert refused(MODEL).code == "broken_checkpoint"
    assert files_below(data) == []
    assert not (data / "ran").exists()


def test_one_download_of_a_model_at_a_time(hub: Hub) -> None:
    hub.hold.clear()
    fetching = threading.Event()
    progress = Progress(lambda p: fetching.set() if p.stage == "fetching" else None)
    thread = threading.Thread(target=download, args=(MODEL,), kwargs={"progress": progress})
    thread.start()
    assert fetching.wait(30)
    assert refused(MODEL, "another").code == "download_running"
    hub.hold.set()
    thread.join()
    assert "opus-mt-en-zh" in checkpoint.available()


def test_only_what_was_downloaded_is_removed(hub: Hub, pickled: Path) -> None:
    assert hub.models
    folder = download(MODEL)
    assert is_downloaded(folder)
    assert main(["import-marian", str(pickled), "mine"]) == 0
    for kept in ("en-zh", "mine", "nobody", "../opus-mt-en-zh", "."):
        with pytest.raises(HeadlightError) as error:
            remove(kept)
        assert error.value.code == "not_downloaded"
    remove("opus-mt-en-zh")
    assert not folder.exists()
    assert {"en-zh", "mine"} <= set(checkpoint.available())
    download(MODEL)


@pytest.mark.usefixtures("hub")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("Helsinki-NLP/opus-mt-xx-yy",), "no_such_model"),
        (("opus-mt-en-zh",), "no_such_model"),
        (("../../etc/passwd",), "no_such_model"),
        ((MODEL, "", "no-such-branch"), "no_such_model"),
        ((MODEL, "en-zh"), "name_taken"),
        ((MODEL, "../elsewhere"), "bad_name"),
        ((MODEL, ".downloads"), "bad_name"),
    ],
)
def test_what_is_not_there_gets_a_sentence(arguments: tuple[str, ...], code: str) -> None:
    assert refused(*arguments).code == code


def test_another_family_of_models_is_a_row_of_the_table(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = hub.models[MODEL]["main"] / "config.json"
    config.write_text(config.read_text().replace('"marian"', '"their_own"'))
    assert refused(MODEL).code == "unknown_family"
    monkeypatch.setitem(families.FAMILIES, "their_own", families.FAMILIES["marian"])
    assert Translator.load(download(MODEL)).translate("a")


def test_what_is_no_marian_model_is_said_before_its_weights_are_fetched(
    hub: Hub, tmp_path: Path
) -> None:
    other = hub.models["google/t5"] = {"main": tmp_path / "t5"}
    other["main"].mkdir()
    (other["main"] / "config.json").write_text('{"model_type": "t5"}')
    assert refused("google/t5").code == "unknown_family"
    hub.models["me/empty"] = {"main": tmp_path / "empty"}
    (tmp_path / "empty").mkdir()
    assert refused("me/empty").code == "unknown_family"
    config = hub.models[MODEL]["main"] / "config.json"
    config.write_text(config.read_text().replace('"swish"', '"tanh"'))
    assert "'tanh'; ours are" in str(refused(MODEL))
    assert not any("pytorch_model.bin" in path for path in hub.asked)


@pytest.mark.usefixtures("hub")
def test_a_full_disk_is_said_before_and_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(downloads.shutil, "disk_usage", lambda _folder: SimpleNamespace(free=1000))
        error = refused(MODEL)
        assert error.code == "disk_full"
        assert "MB are needed and 0 MB are free" in str(error)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(downloads, "fetch", full)
    assert refused(MODEL).code == "disk_full"


@pytest.mark.usefixtures("hub")
def test_a_folder_that_nobody_may_write_to_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("HEADLIGHT_DATA", str(tmp_path / "file"))
    error = refused(MODEL)
    assert error.code == "cannot_store"
    assert str(tmp_path / "file") in str(error)


def test_no_network_is_said(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert refused(MODEL).code == "hub_unreachable"
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    assert refused(MODEL).code == "hub_unreachable"


def test_the_command_downloads_too(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    assert hub.models
    assert main(["import-marian", MODEL]) == 0
    assert capsys.readouterr().out.endswith("trace --model opus-mt-en-zh TEXT\n")
    assert main(["import-marian", "Helsinki-NLP/opus-mt-xx-yy"]) == 2
    assert capsys.readouterr().err.startswith("error: the Hugging Face Hub has no model Helsinki")


@pytest.mark.usefixtures("hub")
def test_an_own_folder_of_checkpoints_takes_downloads_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path / "own"))
    folder = download(MODEL)
    assert folder.parent == tmp_path / "own"
    assert checkpoint.available() == ["opus-mt-en-zh"]
    remove("opus-mt-en-zh")
    assert checkpoint.available() == []


def test_both_directions_are_offered() -> None:
    pairs = {tuple(name.split("-")[-2:]) for name in OFFERED}
    for language in ("zh", "fr", "de", "es", "ru"):
        assert {("en", language), (language, "en")} <= pairs
    assert len(pairs) == len(OFFERED) == 11
