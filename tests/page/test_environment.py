"""The command where people's machines differ: a proxy, a locale, a path told of, folders with ~."""

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import Request, urlopen

import pytest

from headlight import gradio_alone
from tests.page.proxies import counting, cutting
from tests.page.serving import ask, free_port, wait_for

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def test_it_starts_and_answers_behind_proxies_and_asks_no_other_host(tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "app.py", "--no-browser", "--port", str(port)]
    prefix = "/headlight"
    with counting() as (proxy, asked), cutting(port, prefix) as url:
        environment = {
            **{k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")},
            "http_proxy": f"http://{proxy}",
            "https_proxy": f"http://{proxy}",
            "ALL_PROXY": f"socks://{proxy}",
            "PYTHONIOENCODING": "ascii",
            "GRADIO_ROOT_PATH": prefix,
            "GRADIO_TEMP_DIR": "~/temp",
            "HOME": str(tmp_path),
            "USERPROFILE": str(tmp_path),
            "PYTHONWARNINGS": "",
            # As a program has it whose own data is asked for, and nothing of Hugging Face's.
            "HF_HUB_OFFLINE": "",
        }
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=-1, stderr=-1) as process:
            try:
                wait_for(f"http://127.0.0.1:{port}")
                page = urlopen(url, timeout=60).read().decode()
                links = re.findall(r'(?:href|src)="([^"]*headlight/[^"]+)"', page)
                assert len(links) >= 5
                for link in links:
                    urlopen(urljoin(url, link), timeout=60).close()
                traced = ask(url.rstrip("/"), {"ask": "trace", "source": "a b", "model": "reverse"})
                assert json.loads(traced)["trace"]["translation"]
                # What a program asks, the server asks of itself.
                call = f"{url}gradio_api/call/translate"
                headers = {"Content-Type": "application/json"}
                body = json.dumps({"data": ["a b", "reverse"]}).encode()
                with urlopen(Request(call, body, headers), timeout=60) as response:
                    event = json.load(response)["event_id"]
                with urlopen(f"{call}/{event}", timeout=60) as response:
                    assert b"event: complete" in response.read()
            finally:
                process.terminate()
                output, complaints = (each.decode() for each in process.communicate(timeout=60))
    assert process.returncode == 0, complaints
    assert "Headlight is at" in output
    assert "Traceback" not in complaints
    assert asked == []
    assert (tmp_path / "temp").is_dir()


def test_a_temporary_folder_that_nobody_can_write_to_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(file))
    with pytest.raises(SystemExit) as ended:
        importlib.reload(gradio_alone)
    assert ended.value.code == 2
    assert f"cannot write to {file}" in capsys.readouterr().err


def test_another_users_temporary_folder_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gradio").touch()  # as shut as a folder that is another's
    monkeypatch.delenv("GRADIO_TEMP_DIR")
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    importlib.reload(gradio_alone)
    assert Path(os.environ["GRADIO_TEMP_DIR"]).is_dir()


def test_where_there_is_no_temporary_folder_at_all_it_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def none() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.delenv("GRADIO_TEMP_DIR")
    monkeypatch.setattr("tempfile.gettempdir", none)
    with pytest.raises(SystemExit) as ended:
        importlib.reload(gradio_alone)
    assert ended.value.code == 2
    assert "No usable temporary directory found; GRADIO_TEMP_DIR" in capsys.readouterr().err
