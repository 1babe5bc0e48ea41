"""The packages, alone in an empty environment, outside the repository."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from importlib.metadata import distributions
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.page.serving import ask, free_port, wait_for

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
MODEL = "reverse"
"""The smallest, so that packing takes no longer than it must."""

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
OURS = ["headlight", "headlight_attention-0.2.0.dist-info", "transformer"]
CORE = 5_000_000
"""Bytes that a notebook fetches in order to draw."""

MOST = 95_000_000
"""Bytes of a wheel; PyPI takes no file above 100 MB."""

MODELS = ["headlight_models", "headlight_models-0.1.0.dist-info"]
FRENCH_MODELS = ["headlight_models_fr_de-0.1.0.dist-info"]
PACKAGES = ("packages/models", "packages/models-fr-de")
FRENCH_CARD = "checkpoints/en-fr/README.md"
"""Of a model of the second package, which is no model without the rest."""


def run(*command: "str | Path", cwd: Path) -> str:
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=environment(), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def environment() -> dict[str, str]:
    """Without what leads to the repository."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    kept.pop("HEADLIGHT_CHECKPOINTS", None)
    return {**kept, "PYTHONWARNINGS": ""}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages' folder of a new environment; what Headlight needs is lent to it."""
    project, folder = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("environment")
    names = ["README.md", "LICENSE", "pyproject.toml", "setup.py", "requirements.txt", "app.py"]
    for name in [*names, "headlight", "transformer", "assets", "corpora"]:
        (project / name).symlink_to(ROOT / name)
    (project / "checkpoints").mkdir()
    (project / "checkpoints" / MODEL).symlink_to(ROOT / "checkpoints" / MODEL)
    (project / FRENCH_CARD).parent.mkdir()
    (project / FRENCH_CARD).symlink_to(ROOT / FRENCH_CARD)
    for models in PACKAGES:
        shutil.copytree(ROOT / models, project / models, ignore=shutil.ignore_patterns("build"))

    venv.create(folder, symlinks=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    offline = ("--quiet", "--no-deps", "--no-index")
    python = folder / Path(sys.executable).relative_to(sys.prefix)
    expected: list[str] = []
    for source, added in zip(
        (project, *(project / models for models in PACKAGES)),
        (OURS, MODELS, FRENCH_MODELS),
        strict=True,
    ):
        expected = sorted(expected + added)
        wheels = tmp_path_factory.mktemp("wheels")
        run(*PIP, "wheel", *offline, "--no-build-isolation", "-w", wheels, source, cwd=project)
        [wheel] = wheels.glob("*.whl")
        if source == project:
            assert wheel.stat().st_size <= CORE
        run(*PIP, "--python", python, "install", *offline, wheel, cwd=project)
        assert sorted(path.name for path in site.iterdir()) == expected
    (site / "lent.pth").write_text(sysconfig.get_path("purelib"))
    return site


@pytest.fixture
def scripts(site: Path) -> Path:
    return Path(sysconfig.get_path("scripts", "venv", {"base": str(site.parents[2])}))


def test_what_comes_along_is_in_it(site: Path) -> None:
    """Every file of the viewer, of the model, and of all that the code reads."""
    for name in ("assets", "corpora", f"checkpoints/{MODEL}"):
        ours = files(ROOT / name)
        package = site / ("transformer" if name == "assets" else "headlight_models")
        assert files(package / name) == ours
        for file in ours:
            installed = package / name / file
            assert installed.read_bytes() == (ROOT / name / file).read_bytes()
    for name in ("headlight", "transformer"):
        assert files(ROOT / name) <= files(site / name)


def files(folder: Path) -> set[Path]:
    """Those below a folder, but for what Python leaves there."""
    paths = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(folder) for path in paths}


def test_it_traces_and_saves_the_viewer(site: Path, scripts: Path, tmp_path: Path) -> None:
    code = """
import os, transformer
from transformer import Translator, checkpoint
trace = Translator.load("reverse").trace("headlight")
trace.save("x.html")
print(transformer.__file__, trace.translation, checkpoint.trained_folder(), sep="\\n")
try:
    import app
except ImportError:
    print("no app")
"""
    module, translation, trained, no_app = run(
        scripts / "python", "-c", code, cwd=tmp_path
    ).splitlines()
    assert Path(module).is_relative_to(site)
    assert translation == "thgildaeh"
    assert trained == str(Path(os.environ["HEADLIGHT_DATA"], "checkpoints"))
    assert no_app == "no app"
    assert "modulepreload" not in (page := (tmp_path / "x.html").read_text(encoding="utf-8"))
    assert 'document.getElementById("headlight")' in page


def test_headlight_opens_the_page_from_any_folder(scripts: Path, tmp_path: Path) -> None:
    port = free_port()
    command = [scripts / "headlight", "--no-browser", "--port", str(port)]
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE
    ) as process:
        try:
            wait_for(url)
            page = urlopen(url, timeout=30).read().decode()
            [start, *_] = re.findall(r"headlight/[0-9a-f]{12}/joined/start\.js", page)
            with urlopen(f"{url}/{start}", timeout=30) as module:
                assert module.headers["Content-Type"].startswith("text/javascript")
            first = json.loads(ask(url, {"ask": "page"}))
            assert [model["name"] for model in first["models"]] == [MODEL]
            assert first["trace"]["tgt_out"]
        finally:
            process.terminate()
            assert process.wait(30) == 0
    assert not [*tmp_path.iterdir()]


WITHOUT_MODELS = """
import sys
sys.modules["headlight_models"] = None
import importlib.util as util
found = util.find_spec
util.find_spec = lambda name, *rest: None if name == "headlight_models" else found(name, *rest)
from headlight.command import main
sys.exit(main())
"""


def test_without_a_model_the_page_opens_and_says_how_to_get_one(
    scripts: Path, tmp_path: Path
) -> None:
    port = free_port()
    options = ["--no-browser", "--port", str(port)]
    command = [scripts / "python", "-c", WITHOUT_MODELS, *options]
    url = f"http://127.0.0.1:{port}"
    alone = environment() | {"HEADLIGHT_DATA": str(tmp_path)}
    with subprocess.Popen(command, cwd=tmp_path, env=alone, stdout=subprocess.PIPE) as process:
        try:
            wait_for(url)
            first = json.loads(ask(url, {"ask": "page"}))
            assert first["models"] == []
            assert first["error"]["code"] == "no_models"
        finally:
            process.terminate()
            assert process.wait(30) == 0
    for language in ("en", "zh", "fr"):
        texts = json.loads((ROOT / f"assets/locales/{language}.json").read_text(encoding="utf-8"))
        assert "pip install headlight-models" in texts["error.no_models"]


def test_french_and_german_are_in_a_package_of_their_own(site: Path) -> None:
    """No file is in two packages: to take one away would take it from the other."""
    first, second = (
        {str(path) for path in of.files or () if path.parts[0] == MODELS[0]}
        for name in ("headlight-models", "headlight-models-fr-de")
        for of in distributions(name=name, path=[str(site)])
    )
    assert not first & second
    assert f"headlight_models/{FRENCH_CARD}" in second
    assert "headlight_models/corpora/patterns-en-de.tsv" in second
    assert not [path for path in first if re.search(r"/(en-(fr|de)/|[^/]*-(fr|de)\b)", path)]


@pytest.mark.timeout(1200)
def test_all_are_built_and_what_they_say_of_themselves_is_sound(tmp_path: Path) -> None:
    pytest.importorskip("build")
    pytest.importorskip("twine")
    module = (sys.executable, "-m")
    for project, most in ((ROOT, CORE), *((ROOT / models, MOST) for models in PACKAGES)):
        options = ["--wheel"] if project != ROOT else []
        subprocess.run([*module, "build", *options, "-o", tmp_path, project], check=True)
        wheel = max(tmp_path.glob("*.whl"), key=lambda path: path.stat().st_mtime)
        assert wheel.stat().st_size <= most
    subprocess.run([*module, "twine", "check", "--strict", *tmp_path.iterdir()], check=True)
