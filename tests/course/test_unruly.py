"""Whatever a student's code does, the check goes on and says what it was."""

import os
import py_compile
import shutil
from pathlib import Path

import pytest

from transformer.course import examine, examine_all, process
from transformer.course.folder import write_course
from transformer.course.wording import Words

SOLUTION = Path(__file__).parent / "solution"
LIMIT = 1.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A student's, with every exercise solved."""
    write_course(tmp_path / "course", "en")
    shutil.copytree(SOLUTION, tmp_path / "course", dirs_exist_ok=True)
    return tmp_path / "course"


def write(folder: Path, exercise: str, text: str) -> None:
    (folder / f"{exercise}.py").write_text(text, encoding="utf-8")


def codes(folder: Path, exercise: str, limit: float = 10) -> list[str]:
    return [remark.code for remark in examine(exercise, folder, time_limit=limit).remarks]


@pytest.mark.slow
def test_an_endless_loop_ends_in_its_time_and_says_where(folder: Path) -> None:
    write(folder, "masks", "print('here')\nwhile True: pass\n")
    verdict = examine("masks", folder, time_limit=LIMIT)
    assert "masks.py, line 2, `while True: pass`: still running" in str(verdict)
    assert verdict.printed == "here\n"
    assert "1 秒之后还在运行" in Words("zh").remark(verdict.remarks[0])
    assert codes(folder, "positions") == []


@pytest.mark.slow  # after each a process begins anew, and loads PyTorch
def test_endless_loops_end_each_in_its_time_and_the_others_are_judged(folder: Path) -> None:
    write(folder, "masks", "print('here')\nwhile True: pass\n")
    write(
        folder, "decoding", "def greedy(*_):\n    ids = []\n    while len(ids) < 9:\n        pass\n"
    )
    write(
        folder,
        "loss",
        "def loss(*_):\n    while True:\n        try:\n            1 / 0\n"
        "        except:\n            pass\n",
    )
    verdicts = {v.exercise: v for v in examine_all(folder, time_limit=LIMIT)}
    assert verdicts["masks"].remarks[0].code == "too_long"
    assert "decoding.py, line " in str(verdicts["decoding"])
    assert verdicts["loss"].remarks[0].code == "too_long"
    assert verdicts["training"].remarks[0].code == "first"
    assert verdicts["decoder_layer"].right


@pytest.mark.slow  # nothing ends it but the time
def test_what_python_cannot_interrupt_ends_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "GRACE", 1.0)
    # One operation of C that holds Python's lock for minutes.
    write(folder, "masks", "def padding_mask(*_):\n    return 3 ** 10**9 % 7\n")
    assert codes(folder, "masks", LIMIT) == ["too_long_somewhere"]
    assert codes(folder, "positions") == []


def test_whoever_ends_the_program_ends_only_its_own(folder: Path) -> None:
    for line, code in (
        ("raise SystemExit", "ends_all"),
        ("import os; os._exit(3)", "ends_all"),
        ("import os; os.kill(os.getpid(), 9)", "ends_abruptly"),
        ("raise KeyboardInterrupt", "raised"),
    ):
        write(folder, "masks", line)
        assert codes(folder, "masks") == [code], line
        assert codes(folder, "positions") == []


def test_what_is_printed_is_shown_and_harms_nothing(folder: Path) -> None:
    text = (SOLUTION / "masks.py").read_text(encoding="utf-8")
    loud = """import os, sys
print("形状", 3)
print('{"remarks": [], "result": null}')
sys.stderr.write("below\\n")
os.write(1, b"\\xff\\0bytes\\n")
print("x" * 20_000_000)
sys.stdout.close()
"""
    write(folder, "masks", loud + text)
    verdict = examine("masks", folder)
    assert verdict.right
    for part in ("Your code printed:", "形状 3", "below", '{"remarks": []', "bytes"):
        assert part in str(verdict)
    assert len(str(verdict)) < 10_000
    write(folder, "masks", text)
    assert str(examine("masks", folder)) == "Masks: right."


def test_a_change_of_equal_length_within_a_second_is_seen(folder: Path) -> None:
    """Python itself takes compiled files for new that have the same second and size."""
    text = (SOLUTION / "masks.py").read_text(encoding="utf-8")
    write(folder, "masks", text)
    stamp = (folder / "masks.py").stat().st_mtime
    py_compile.compile(str(folder / "masks.py"))
    assert list((folder / "__pycache__").glob("masks*"))
    assert codes(folder, "masks") == []
    write(folder, "masks", text.replace("!=", "=="))
    os.utime(folder / "masks.py", (stamp, stamp))
    assert codes(folder, "masks") == ["mask_inverted"]


def test_one_file_does_not_change_what_the_next_one_finds(folder: Path) -> None:
    text = (SOLUTION / "masks.py").read_text(encoding="utf-8")
    write(folder, "masks", f"{text}\ntorch.set_default_dtype(torch.float64)\n")
    write(folder, "helper", "SIGN = 1\n")
    positions = (SOLUTION / "positions.py").read_text(encoding="utf-8")
    write(
        folder,
        "positions",
        f"from helper import SIGN\n{positions}".replace("angles.sin", "SIGN * angles.sin"),
    )
    assert codes(folder, "masks") == []
    assert codes(folder, "positions") == []
    write(folder, "helper", "SIGN = 2\n")
    assert codes(folder, "positions") != []


def test_files_that_cannot_be_read_are_told_so(folder: Path) -> None:
    (folder / "masks.py").write_bytes(
        "def causal_mask(length):\n    '''因果掩码'''\n".encode("gbk")
    )
    assert "UTF-8" in str(examine("masks", folder))
    (folder / "masks.py").write_bytes(b"x = 1\0\n")
    assert "masks.py" in str(examine("masks", folder))
    (folder / "masks.py").write_bytes(b"")
    assert codes(folder, "masks") == ["name_missing"]
