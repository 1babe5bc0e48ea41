"""What `python -m transformer site` writes."""

import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest

from tests.serving.asking import ask
from tests.tiny import tiny_checkpoint
from transformer import Tokenizer, checkpoint
from transformer.__main__ import main
from transformer.serving import Service

EXAMPLES = ["I love you.", "Good morning"]


@pytest.fixture(scope="module")
def models(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints")
    for name, layers in (("en-zh", 2), ("poet", 0)):
        it = tiny_checkpoint(tokenizer, name, num_encoder_layers=layers)
        it.card["examples"] = EXAMPLES
        checkpoint.save(folder / name, it)
    return folder


@pytest.fixture(autouse=True)
def install(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(models))


def page_folder(site: Path) -> Path:
    """Where the page's own files are: its first bytes name it."""
    match = re.search(r'src="([0-9a-f]{12})/joined/site.js"', (site / "index.html").read_text())
    assert match
    return site / match[1]


def test_every_file_is_there_and_holds_what_is_said_of_it(tmp_path: Path) -> None:
    assert main(["site", str(tmp_path / "site")]) == 0
    page = page_folder(tmp_path / "site")
    site = json.loads((page / "site.json").read_text())
    assert {*site["models"]} == {"en-zh", "poet"}
    for model in site["models"].values():
        for file in model["files"]:
            content = (page / file["path"]).read_bytes()
            assert (len(content), hashlib.sha256(content).hexdigest()) == (
                file["size"],
                file["sha256"],
            )
        assert sum(file["size"] for file in model["files"]) == model["bytes"]
    kept = (tmp_path / "site" / "service-worker.js").read_text()
    for path in json.loads(kept[kept.index("{") : kept.index(";\n")])["core"]:
        assert path == "./" or (tmp_path / "site" / path).is_file()


def test_answers_are_the_server_s_own(tmp_path: Path) -> None:
    assert main(["site", str(tmp_path / "site"), "--models", "poet"]) == 0
    page = page_folder(tmp_path / "site")
    answers = json.loads((page / "site.json").read_text())["answers"]
    server = Service()
    for source in EXAMPLES:
        request = {"ask": "trace", "model": "poet", "source": source}
        content = json.loads((page / answers["trace"]["poet"][source]).read_text())
        assert content == ask(server, request)
    first = json.loads((page / "first.json").read_text())
    assert [model["name"] for model in first["models"]] == ["poet"]
    assert first["trace"]["source"] == EXAMPLES[0]
    assert {"bertviz", "guests"} <= {*first["lacking"]}
    server.close()


def test_a_site_is_written_anew_and_nothing_else_is_touched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    assert main(["site", str(site), "--models", "poet", "en-zh"]) == 0
    before = page_folder(site)
    # What one leaves that was killed on its way.
    (tmp_path / ".site.saving" / "new" / "models").mkdir(parents=True)
    (tmp_path / ".site.saving.lock").touch()
    assert main(["site", str(site), "--models", "poet"]) == 0
    assert [*tmp_path.iterdir()] == [site]
    assert not before.exists()
    assert [folder.name.partition("-")[0] for folder in (site / "models").iterdir()] == ["poet"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    assert main(["site", str(tmp_path / "mine"), "--models", "poet"]) == 2
    assert "something else" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]
    assert main(["site", str(tmp_path / "other"), "--models", "nobody"]) == 2
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert main(["site", ".", "--models", "poet"]) == 2
    assert "name it from outside" in capsys.readouterr().err


def test_a_patient_comes_along_and_is_no_model_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped = Path(__file__).parents[2] / "checkpoints"
    for name in ("reverse", "_patient"):
        shutil.copytree(shipped / name, tmp_path / "models" / name)
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path / "models"))
    assert main(["site", str(tmp_path / "site"), "--models", "_patient"]) == 2
    assert "comes along by itself" in capsys.readouterr().err
    assert main(["site", str(tmp_path / "site"), "--models", "reverse"]) == 0
    content = json.loads((page_folder(tmp_path / "site") / "site.json").read_text())
    assert {*content["models"]} == {"reverse", "_patient"}


def test_the_same_site_has_the_same_name(tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert main(["site", str(tmp_path / name), "--models", "poet"]) == 0
    assert page_folder(tmp_path / "one").name == page_folder(tmp_path / "two").name


def test_a_file_carries_everything(tmp_path: Path) -> None:
    file = tmp_path / "poet.html"
    assert main(["site", str(file), "--models", "poet"]) == 0
    text = file.read_text(encoding="utf-8")
    carried = dict(re.findall(r'id="headlight:([^"]+)">([^<]*)</script>', text))
    site = json.loads(carried["site.json"])
    named = [each["path"] for each in site["models"]["poet"]["files"]]
    assert {*named, site["engine"], site["replay"], "first.json"} <= carried.keys()
    assert "<script src" not in text
    assert "http://" not in text.replace("http://www.w3.org/", "")
