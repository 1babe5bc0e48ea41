"""A model in a form that cannot be imported: what it is, and what to do, is said."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.checkpoint.hub import MODEL, Hub
from transformer import HeadlightError
from transformer.checkpoint.importing.families import offered
from transformer.checkpoint.importing.import_model import import_model

# Hugging Face asks for a normaliser that it then never calls.
pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")


def files(**contents: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for name, content in contents.items():
            path = folder / name.replace("__", "/").replace("_DOT_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")

    return write


CONFIG = json.dumps({"model_type": "marian"})
LORA = json.dumps({"peft_type": "LORA", "base_model_name_or_path": "Helsinki-NLP/opus-mt-en-de"})
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 2\n"

FORMS: dict[str, tuple[Callable[[Path], None], str]] = {
    "nothing": (files(), r"config\.json: the file is missing: name a folder that holds what"),
    "LoRA": (
        files(adapter_config_DOT_json=LORA, adapter_model_DOT_safetensors="", vocab_DOT_json="{}"),
        r"a LoRA adapter.*\(merge_and_unload\).* trained on Helsinki-NLP/opus-mt-en-de",
    ),
    "raw": (
        files(opus_DOT_npz="", decoder_DOT_yml="", source_DOT_spm=""),
        r"as Marian itself writes it \(opus\.npz\).*\(Helsinki-NLP/opus-mt-…\)",
    ),
    "CTranslate2": (
        files(model_DOT_bin="", config_DOT_json="{}", shared_vocabulary_DOT_json="[]"),
        r"CTranslate2's form \(model\.bin\).* import the one that it was made of",
    ),
    "ONNX": (files(config_DOT_json=CONFIG, encoder_model_DOT_onnx=""), r"ONNX's form"),
    "training": (
        files(
            **{
                "checkpoint-500__config_DOT_json": CONFIG,
                "checkpoint-1000__config_DOT_json": CONFIG,
            }
        ),
        r"name one of them, such as checkpoint-1000$",
    ),
    "cache": (
        files(refs__main="", snapshots__abc__config_DOT_json=CONFIG),
        r"such as snapshots/abc$",
    ),
    "pointer": (
        files(config_DOT_json=CONFIG, model_DOT_safetensors=POINTER),
        r"model\.safetensors: it is Git LFS's note .*\(git lfs pull\)",
    ),
    "ours": (files(config_DOT_json='{"model": {}}'), "a checkpoint of ours already"),
}


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path / "installed"))


@pytest.mark.parametrize(("write", "sentence"), FORMS.values(), ids=FORMS)
def test_a_folder_is_told_by_what_is_in_it(
    tmp_path: Path, write: Callable[[Path], None], sentence: str
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    write(folder)
    with pytest.raises(HeadlightError, match=sentence):
        import_model(str(folder))


def test_an_archive_is_told_too(tmp_path: Path) -> None:
    path = tmp_path / "opus-2020-02-26.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("opus.spm32k-spm32k.transformer-align.model1.npz.best-perplexity.npz", b"")
    with pytest.raises(HeadlightError, match=r"2020-02-26\.zip: it is a model as Marian itself"):
        import_model(str(path))
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(HeadlightError, match=r"it is a file: name a folder that holds what"):
        import_model(str(tmp_path / "model.safetensors"))


@pytest.mark.parametrize("form", ["LoRA", "raw", "CTranslate2"])
def test_the_hubs_are_told_before_anything_is_fetched(tmp_path: Path, form: str, hub: Hub) -> None:
    FORMS[form][0](tmp_path)
    hub.models[MODEL] = {"main": tmp_path}
    with pytest.raises(HeadlightError, match=r"cannot be imported: it is a ") as refused:
        offered(MODEL)
    assert refused.value.code == "unknown_family"
