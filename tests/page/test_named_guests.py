"""Models that are named to the command: which is chosen, and what is refused in a sentence."""

import json
from pathlib import Path

import pytest

from headlight.__main__ import main
from headlight.guests import (
    DTYPE,
    SETTING,
    ZERO_GPU,
    named_dtype,
    named_models,
    open_models,
    why_not,
)
from tests.serving.asking import ask
from transformer.serving import Service


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One that seems to hold a model; nothing was downloaded."""
    monkeypatch.setenv("HEADLIGHT_DATA", str(tmp_path / "data"))
    path = tmp_path / "my-bert"
    path.mkdir()
    config = {"model_type": "bert", "architectures": ["BertForMaskedLM"]}
    (path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return path


def test_the_first_that_is_named_is_chosen(folder: Path) -> None:
    service = Service()
    open_models(service, ["org/other", str(folder)])
    page = ask(service, {"ask": "page"})
    assert (page["model"], page["models"][0]["chosen"]) == ("org/other", True)
    assert [it["name"] for it in page["models"][:2]] == ["org/other", "my-bert"]
    assert page["models"][1]["guest"] == {"form": "encoder", "folder": True}
    # It is loaded once it is asked, and the page is there before.
    assert "trace" not in page
    assert service.guests.process.pid is None
    service.close()


def test_a_name_of_ours_chooses_it(folder: Path) -> None:
    service = Service()
    open_models(service, ["reverse", str(folder)])
    page = ask(service, {"ask": "page"})
    assert page["trace"]["model"] == page["model"] == "reverse"
    assert [it["name"] for it in page["models"] if it.get("chosen")] == ["reverse"]
    service.close()


def test_a_setting_names_them_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "gpt2 './my bert'")
    assert named_models(["t5"]) == ["t5", "gpt2", "./my bert"]
    monkeypatch.setenv(SETTING, "'gpt2")
    with pytest.raises(ValueError, match="HEADLIGHT_MODELS is a list of names and folders"):
        named_models([])


def test_what_they_compute_in_is_asked_for_by_the_command_or_a_setting(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(DTYPE, raising=False)
    assert named_dtype(None) == "auto"
    monkeypatch.setenv(DTYPE, "bfloat16")
    assert named_dtype(None) == "bfloat16"
    assert named_dtype("float32") == "float32"
    monkeypatch.setenv(DTYPE, "int8")
    with pytest.raises(SystemExit):
        main([])
    assert "HEADLIGHT_DTYPE is 'int8'; expected one of auto" in capsys.readouterr().err


def test_a_folder_without_a_model_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADLIGHT_DATA", str(tmp_path / "data"))
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path)])
    assert ended.value.code == 2
    assert "this folder has no config.json" in capsys.readouterr().err


def test_where_no_process_stays_guests_are_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert why_not(1) == ""
    assert "--replicas" in why_not(2)
    monkeypatch.setenv(ZERO_GPU, "true")
    assert "ZeroGPU" in why_not(1)


def test_a_page_is_told_that_guests_are_off() -> None:
    service = Service()
    assert "guests" not in ask(service, {"ask": "page"})["lacking"]
    service.lacking = ("guests",)
    assert "guests" in ask(service, {"ask": "page"})["lacking"]
    service.close()
