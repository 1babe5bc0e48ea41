"""`pytorch_model.bin`: PyTorch's own files are read, and nothing in them is run."""

import os
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import MarianMTModel

from tests.checkpoint.marian import SHAPES, save_marian
from transformer import CheckpointError, checkpoint
from transformer.checkpoint.importing import convert
from transformer.checkpoint.importing.import_model import import_model

# Hugging Face asks for a normaliser that it then never calls.
pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")

FORMATS = {"zip": True, "legacy": False}
FC1 = "model.encoder.layers.1.fc1.weight"


class Program:
    """What unpickling would run."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.file),)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, MarianMTModel]:
    folder = tmp_path_factory.mktemp("opus") / "opus-mt-en-zh"
    model, _ = save_marian(folder, **SHAPES["2+2 tied swish"])
    return folder, model


@pytest.fixture(params=FORMATS)
def zipped(request: pytest.FixtureRequest) -> bool:
    return FORMATS[request.param]


@pytest.fixture
def folder(saved: tuple[Path, MarianMTModel], tmp_path: Path) -> Path:
    """All that an import reads but the weights."""
    folder = tmp_path / "opus-mt-en-zh"
    folder.mkdir()
    for file in saved[0].iterdir():
        if file.name != "model.safetensors":
            (folder / file.name).write_bytes(file.read_bytes())
    return folder


@pytest.fixture
def weights(saved: tuple[Path, MarianMTModel]) -> dict[str, Any]:
    """As OPUS-MT's own files are: shared tensors under every name, and the positions."""
    return dict(saved[1].state_dict())


def write(folder: Path, content: Any, zipped: bool) -> Path:
    path = folder / "pytorch_model.bin"
    torch.save(content, path, _use_new_zipfile_serialization=zipped)
    return path


def test_it_gives_the_same_model_as_safetensors(
    saved: tuple[Path, MarianMTModel], folder: Path, weights: dict[str, Any], zipped: bool
) -> None:
    write(folder, OrderedDict(weights), zipped)
    expected = dict(convert.read(saved[0]).model.named_parameters())
    parameters = dict(convert.read(folder).model.named_parameters())
    assert parameters.keys() == expected.keys()
    for name, parameter in parameters.items():
        assert torch.equal(parameter, expected[name]), name


def test_safetensors_are_read_where_both_are(
    saved: tuple[Path, MarianMTModel], folder: Path, tmp_path: Path
) -> None:
    (folder / "model.safetensors").write_bytes((saved[0] / "model.safetensors").read_bytes())
    write(folder, {"a": Program(tmp_path / "ran")}, True)
    convert.read(folder)
    assert not (tmp_path / "ran").exists()


def test_a_program_is_not_run(
    folder: Path, weights: dict[str, Any], tmp_path: Path, zipped: bool
) -> None:
    path = write(folder, {**weights, "extra": Program(tmp_path / "ran")}, zipped)
    with pytest.raises(CheckpointError, match=r"pytorch_model\.bin: it holds more than .*mkdir"):
        convert.read(folder)
    assert not (tmp_path / "ran").exists()
    # It would have.
    torch.load(path, weights_only=False)
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("kept", [0, 3, 100, 0.5, -1])
def test_a_cut_file_is_refused(
    folder: Path, weights: dict[str, Any], zipped: bool, kept: float
) -> None:
    path = write(folder, weights, zipped)
    content = path.read_bytes()
    path.write_bytes(content[: kept if isinstance(kept, int) else int(kept * len(content))])
    with pytest.raises(CheckpointError, match=r"pytorch_model\.bin: ") as refused:
        convert.read(folder)
    assert str(refused.value).count("\n") == 0


def test_shapes_are_compared_before_anything_is_allocated(
    folder: Path, weights: dict[str, Any], zipped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights[FC1] = torch.zeros(47, 32)
    write(folder, weights, zipped)
    monkeypatch.setattr(convert, "read_weights", lambda _path: pytest.fail("weights were read"))
    with pytest.raises(CheckpointError, match=r"\[47, 32\], but config\.json asks for \[48, 32\]"):
        convert.read(folder)


def test_a_tensor_larger_than_its_file_is_refused(
    folder: Path, weights: dict[str, Any], zipped: bool
) -> None:
    # A gigabyte by the repetition of one number, which is all that the file holds of it.
    weights["extra"] = torch.zeros(1).expand(1 << 28)
    write(folder, weights, zipped)
    with pytest.raises(CheckpointError, match="larger than the file"):
        convert.read(folder)


def test_a_compressed_archive_is_refused(folder: Path, weights: dict[str, Any]) -> None:
    path = write(folder, {**weights, "extra": torch.zeros(1 << 20)}, True)
    with zipfile.ZipFile(path) as archive:
        entries = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    with pytest.raises(CheckpointError, match="compressed archive"):
        convert.read(folder)


NO_WEIGHTS: list[tuple[str, Callable[[dict[str, Any]], Any]]] = [
    ("a list", lambda weights: list(weights.values())),
    ("a number beside them", lambda weights: {**weights, "step": 3}),
    ("whole numbers", lambda weights: {**weights, FC1: torch.ones(48, 32, dtype=torch.int64)}),
    ("a sparse one", lambda weights: {**weights, FC1: torch.eye(48, 32).to_sparse()}),
    ("nothing", lambda _weights: {}),
]


@pytest.mark.parametrize("make", [make for _, make in NO_WEIGHTS], ids=[n for n, _ in NO_WEIGHTS])
def test_what_is_not_a_dictionary_of_weights_is_refused(
    folder: Path, weights: dict[str, Any], zipped: bool, make: Callable[[dict[str, Any]], Any]
) -> None:
    write(folder, make(weights), zipped)
    with pytest.raises(CheckpointError, match="a dictionary of weights, and nothing else"):
        convert.read(folder)


def test_a_plain_pickle_is_refused(folder: Path, tmp_path: Path) -> None:
    path = folder / "pytorch_model.bin"
    path.write_bytes(pickle.dumps(Program(tmp_path / "ran")))
    with pytest.raises(CheckpointError, match="not a file of PyTorch"):
        convert.read(folder)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["model.pkl", "weights.pt", "pytorch_model-00001-of-00002.bin"])
def test_any_other_pickle_is_refused_by_name(folder: Path, name: str) -> None:
    (folder / name).write_bytes(pickle.dumps({}))
    with pytest.raises(CheckpointError, match=rf"{name}: weights are read from .* run a program"):
        convert.read(folder)


def test_an_import_is_one_file_whatever_its_size(
    folder: Path, weights: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path / "installed"))
    monkeypatch.setattr("transformer.checkpoint.weights.SHARD_BYTES", 9000)
    write(folder, weights, True)
    installed = import_model(str(folder))
    assert (installed / "model.safetensors").stat().st_size > 9000
    assert checkpoint.available() == ["opus-mt-en-zh"]
    assert not list(installed.parent.glob(".downloads/*"))
