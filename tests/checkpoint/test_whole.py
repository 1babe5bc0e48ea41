"""What is left on a disk by a writer that was killed, refused, or beside another one."""

import os
import stat
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import pytest

from tests.tiny import tiny_checkpoint
from transformer import checkpoint
from transformer.checkpoint.alone import alone
from transformer.checkpoint.whole import staged_files, staged_folder, write_whole
from transformer.text.tokenizer import Tokenizer


class Disk:
    """What a power cut would leave: what was flushed, and names of folders flushed after them."""

    def __init__(self) -> None:
        self._contents: dict[int, bytes] = {}
        self._names: dict[int, dict[str, int]] = {}

    def flush(self, handle: int) -> None:
        status = os.fstat(handle)
        place = Path(f"/proc/self/fd/{handle}")
        if stat.S_ISDIR(status.st_mode):
            with os.scandir(place) as entries:
                self._names[status.st_ino] = {entry.name: entry.inode() for entry in entries}
        else:
            self._contents[status.st_ino] = place.read_bytes()

    def files(self, folder: Path) -> dict[str, bytes | None]:
        """By name what is still in a folder; None is a file whose content is lost."""
        names = self._names.get(folder.stat().st_ino, {})
        return {name: self._contents.get(inode) for name, inode in names.items()}


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("only Linux shows what a handle is of")
    disk = Disk()
    monkeypatch.setattr(os, "fsync", disk.flush)
    return disk


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_file_survives_a_power_cut(disk: Disk, tmp_path: Path) -> None:
    write_whole(tmp_path / "file", b"content")
    assert disk.files(tmp_path)["file"] == b"content"


def test_a_saved_checkpoint_survives_a_power_cut(
    disk: Disk, tmp_path: Path, tokenizer: Tokenizer
) -> None:
    folder = tmp_path / "tiny"
    checkpoint.save(folder, tiny_checkpoint(tokenizer))
    kept = disk.files(folder)
    assert contents(folder).items() <= kept.items()
    assert checkpoint.CONFIG in kept
    assert folder.name in disk.files(tmp_path)


def test_a_new_folder_survives_a_power_cut(disk: Disk, tmp_path: Path) -> None:
    with staged_folder(tmp_path / "new") as place:
        (place / "below").mkdir()
        (place / "below" / "file").write_text("content")
    assert disk.files(tmp_path / "new" / "below") == {"file": b"content"}
    assert "below" in disk.files(tmp_path / "new")
    assert "new" in disk.files(tmp_path)


def test_others_may_read_the_weights_if_they_may_read_the_rest(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    checkpoint.save(tmp_path, tiny_checkpoint(tokenizer), shard_bytes=5_000)
    rights = {path.stat().st_mode for path in tmp_path.iterdir()}
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    assert len(rights) == 1


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_takes_the_place_of_an_earlier_one_at_the_end(tmp_path: Path, there: bool) -> None:
    target = tmp_path / "target"
    if there:
        target.mkdir()
        (target / "old").touch()
    with staged_folder(target) as place:
        (place / "new").touch()
        assert [*contents(target)] == ["old"] if there else not target.exists()
    assert [*contents(target)] == ["new"]
    assert [*tmp_path.iterdir()] == [target]


def test_an_error_leaves_the_earlier_folder_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    with suppress(ZeroDivisionError), staged_folder(target) as place:
        (place / "new").touch()
        raise ZeroDivisionError
    assert [*target.iterdir()] == []
    assert [*tmp_path.iterdir()] == [target]


def test_what_a_killed_one_leaves_is_taken_away_by_the_next(tmp_path: Path) -> None:
    target = tmp_path / "target"
    left = tmp_path / ".target.saving"
    (left / "new").mkdir(parents=True)
    (left / "before").mkdir()  # and so it was killed in between
    (left / "before" / "old").touch()
    (tmp_path / ".target.saving.lock").touch()
    with suppress(ZeroDivisionError), staged_folder(target):
        assert [*contents(target)] == ["old"]
        raise ZeroDivisionError
    assert [*contents(target)] == ["old"]
    assert [*tmp_path.iterdir()] == [target]


def test_a_save_takes_away_what_a_killed_one_left(tmp_path: Path, tokenizer: Tokenizer) -> None:
    (tmp_path / ".saving").mkdir()
    (tmp_path / ".saving" / checkpoint.WEIGHTS).touch()
    (tmp_path / ".saving.lock").touch()
    checkpoint.save(tmp_path, tiny_checkpoint(tokenizer))
    assert not any(path.name.startswith(".") for path in tmp_path.iterdir())


@pytest.mark.parametrize("staged", [staged_files, staged_folder])
def test_of_two_writers_the_second_is_told(
    tmp_path: Path, staged: Callable[[Path], AbstractContextManager[Path]]
) -> None:
    with (
        staged(tmp_path),
        pytest.raises(BlockingIOError, match="another process is writing there"),
        staged(tmp_path),
    ):
        pass
    with staged(tmp_path):
        pass


def test_a_lock_is_nobodys_once_its_file_is_gone(tmp_path: Path) -> None:
    with alone(tmp_path / "lock"):
        assert (tmp_path / "lock").exists()
    assert not (tmp_path / "lock").exists()


def test_a_lock_of_a_folder_that_is_not_there_names_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"), alone(tmp_path / "nowhere" / "lock"):
        pass
