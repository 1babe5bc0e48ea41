"""Where models are looked for, also by who has no home; and how the environment names a folder."""

from pathlib import Path

import pytest

from transformer import HeadlightError
from transformer.__main__ import main
from transformer.checkpoint.places import (
    available,
    checkpoints_folder,
    downloads_folder,
    new_folder,
    trained_folder,
)


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is named yet."""
    for name in ("HEADLIGHT_DATA", "HEADLIGHT_CHECKPOINTS", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)


def test_who_has_no_home_has_the_models_that_came_along(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert downloads_folder() == checkpoints_folder()
    assert "en-zh" in available()


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            ".",
            "..",
            ".hidden",
            "_hidden",
            "a/b",
            "../x",
            "a b",
            "x.",
            "x\n",
            "<img>",
            "\ud800",
        ),
        *("CON", "nul.old", "Aux", "com1", "LPT9.tar.gz", "COM¹", "x" * 201, "模" * 67),
    ],
)
def test_what_is_no_name_on_some_system_or_would_be_hidden_is_refused(name: str) -> None:
    with pytest.raises(HeadlightError) as error:
        new_folder(name)
    assert error.value.code == "bad_name"


@pytest.mark.parametrize("name", ["a", "7", "mine.v2", "console", "com10", "中-英", "x-", "x_"])
def test_what_is_a_name_everywhere_is_taken(name: str) -> None:
    assert new_folder(name).name == name


def test_a_name_is_taken_whatever_its_case() -> None:
    with pytest.raises(HeadlightError) as error:
        new_folder("EN-zh")
    assert error.value.code == "name_taken"


def test_a_training_is_refused_its_name_before_it_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--train", "none.tsv", "--dev", "none.tsv", "--runs", str(tmp_path)]
    assert main(["train", "../mine", *data]) == 2
    assert capsys.readouterr().err == "error: a checkpoint cannot be called '../mine'\n"


def test_a_folder_of_the_environment_is_expanded_where_no_shell_does_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("HEADLIGHT_DATA", "~/data")
    assert downloads_folder() == tmp_path / "data" / "checkpoints"
    monkeypatch.setenv("HEADLIGHT_DATA", "$HOME/data")
    assert downloads_folder() == tmp_path / "data" / "checkpoints"
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", "~/models")
    assert checkpoints_folder() == downloads_folder() == trained_folder() == tmp_path / "models"


def test_what_is_trained_goes_where_what_is_imported_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert trained_folder() == checkpoints_folder()  # a clone's own, if nobody names another
    monkeypatch.setenv("HEADLIGHT_DATA", str(tmp_path))
    assert trained_folder() == downloads_folder() == tmp_path / "checkpoints"
    # Said before a night of training, not after it.
    assert main(["train", "en-zh", "--train", "no.tsv", "--dev", "no.tsv"]) == 2
    assert "en-zh is a model that came along" in capsys.readouterr().err
