"""The browser is told of the page, and nobody else on the machine of the secret."""

import os
import stat
import sys
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

import headlight.__main__ as command
from headlight.opening import way_in
from headlight.owner import SECRET


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a browser's command line shows; the server is started by nobody, and stopped at once."""
    shown: list[str] = []
    looked = Event()

    def browse(address: str) -> bool:
        shown.append(address)
        if address.startswith("file:"):
            shown.append(Path(url2pathname(urlsplit(address).path)).read_text(encoding="utf-8"))
        looked.set()
        return True

    class Stopped:
        def wait(self) -> None:
            assert looked.wait(30)

        def end_at_once(self) -> None:
            pass

    def serve(**_: object) -> tuple[None, str, str]:
        return None, "http://127.0.0.1:7860/", ""

    monkeypatch.setattr(command, "launch", serve)
    monkeypatch.setattr(command, "reach", lambda: None)  # which asks what is served
    monkeypatch.setattr(command, "Stop", Stopped)
    monkeypatch.setattr(command, "_drain", lambda: None)
    monkeypatch.setattr(command.service, "warm_up", lambda: None)
    monkeypatch.setattr(command.webbrowser, "open", browse)
    return shown


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_no_command_line_shows_the_secret(host: str, opened: list[str]) -> None:
    assert command.main(["--host", host]) == 0
    file, page = opened
    assert SECRET not in file
    assert (f'url=http://127.0.0.1:7860/#owner={SECRET}"' in page) == (host == "127.0.0.1")


@pytest.mark.skipif(sys.platform == "win32", reason="there, the folder is the user's alone")
def test_the_file_is_the_users_alone_and_goes_with_the_server() -> None:
    before = os.umask(0)
    try:
        with way_in("http://127.0.0.1:7860/#owner=x\"'><script>") as address:
            path = Path(url2pathname(urlsplit(address).path))
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert "<script>" not in path.read_text(encoding="utf-8")
    finally:
        os.umask(before)
    assert not path.exists()


def test_where_no_file_can_be_written_the_address_that_is_printed_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    with way_in("http://127.0.0.1:7860/") as address:
        assert address == ""


def test_a_wrong_setting_is_a_sentence_at_the_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for setting, wrong in (
        ("HEADLIGHT_FRAME_ANCESTORS", "https://*.com"),
        ("HEADLIGHT_HOSTS", "https://hub.example.org"),
    ):
        monkeypatch.setenv(setting, wrong)
        with pytest.raises(SystemExit) as ended:
            command.main(["--no-browser"])
        assert ended.value.code == 2
        output = capsys.readouterr().err
        assert f"{setting} holds '{wrong}'" in output
        monkeypatch.delenv(setting)
