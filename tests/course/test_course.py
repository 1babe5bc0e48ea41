"""The course, solved with a reference solution, and failed with each usual mistake."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.course.mistakes import MISTAKES
from transformer import HeadlightError, Translator
from transformer import course as course_files
from transformer.__main__ import main
from transformer.course import examine, graduate
from transformer.course.exercises import EXERCISES
from transformer.course.folder import write_course
from transformer.course.wording import Words
from transformer.texts import LANGUAGES

SOLUTION = Path(__file__).parent / "solution"
LOCALES = Path(course_files.__file__).parent / "locales"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A student's, with every exercise solved."""
    write_course(tmp_path / "course", "en")
    shutil.copytree(SOLUTION, tmp_path / "course", dirs_exist_ok=True)
    return tmp_path / "course"


def change(folder: Path, exercise: str, old: str, new: str) -> None:
    path = folder / f"{exercise}.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_reference_solution_is_right(folder: Path, exercise: str) -> None:
    verdict = examine(exercise, folder)
    assert verdict.right, verdict
    assert str(verdict).endswith("right.")


@pytest.mark.parametrize(("exercise", "solution", "mistake", "code"), MISTAKES)
def test_a_mistake_is_named(
    folder: Path, exercise: str, solution: str, mistake: str, code: str
) -> None:
    change(folder, exercise, solution, mistake)
    verdict = examine(exercise, folder)
    codes = [remark.code for remark in verdict.remarks]
    assert code in codes if code else not codes, verdict
    for language in LANGUAGES:
        words = Words(language)
        for remark in verdict.remarks:
            assert "{" not in words.remark(remark)
            assert "Traceback" not in words.remark(remark)


def test_what_is_handed_out_is_to_be_written_yet(tmp_path: Path) -> None:
    for language in LANGUAGES:
        folder = tmp_path / language
        for path in write_course(folder, language):
            if path.suffix == ".py":
                compile(path.read_text(encoding="utf-8"), path, "exec")
                assert "$" not in path.read_text(encoding="utf-8")
        notebook = json.loads((folder / "course.ipynb").read_text(encoding="utf-8"))
        cells = ["".join(cell["source"]) for cell in notebook["cells"]]
        for exercise in EXERCISES:
            assert f'examine("{exercise}")' in cells
            code = "first" if EXERCISES[exercise].needs else "not_written"
            assert [remark.code for remark in examine(exercise, folder).remarks] == [code]
        assert str(examine("attention", folder)) == Words(language).remark(
            examine("attention", folder).remarks[0]
        )
    (tmp_path / "en" / "attention.py").unlink()
    assert examine("attention", tmp_path / "en").remarks[0].code == "no_file"


def test_nothing_of_a_students_is_overwritten(folder: Path) -> None:
    with pytest.raises(HeadlightError, match="is there already"):
        write_course(folder, "en")


@pytest.mark.parametrize(("model", "source"), [("reverse", "abcde"), ("en-zh", "I love you.")])
def test_the_students_own_model_translates_and_its_attention_is_a_trace(
    folder: Path, tmp_path: Path, model: str, source: str
) -> None:
    trace = graduate(model, source, folder)
    shipped = Translator.load(model).trace(source)
    assert trace.translation == shipped.translation
    for kind in ("encoder_self", "decoder_self", "cross"):
        np.testing.assert_allclose(getattr(trace, kind), getattr(shipped, kind), atol=1e-3)
    trace.save(tmp_path / "mine.html")
    assert "headlight" in (tmp_path / "mine.html").read_text(encoding="utf-8")


def test_who_is_not_done_yet_is_told_where(folder: Path) -> None:
    text = (SOLUTION / "positions.py").read_text(encoding="utf-8")
    (folder / "positions.py").write_text(text.replace("sin()", "tan()"), encoding="utf-8")
    with pytest.raises(HeadlightError, match=r"Positions is not right yet\. positions: "):
        graduate("reverse", "abc", folder)
    shutil.copy(SOLUTION / "positions.py", folder)
    model = (folder / "model.py").read_text(encoding="utf-8")
    (folder / "model.py").write_text(model.replace("math.sqrt(", "float("), encoding="utf-8")
    with pytest.raises(HeadlightError, match="with the same weights it should say"):
        graduate("reverse", "abcde", folder)
    with pytest.raises(HeadlightError, match="built otherwise"):
        graduate("tang", "春", folder)


def test_the_command_hands_out_and_looks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "kurs"
    assert main(["course", str(folder), "--language", "zh"]) == 0
    assert "course.ipynb" in capsys.readouterr().out
    assert main(["course", str(folder)]) == 2
    assert "is there already" in capsys.readouterr().err
    shutil.copytree(SOLUTION, folder, dirs_exist_ok=True)
    (folder / "loss.py").write_text("def loss(", encoding="utf-8")
    assert main(["course", str(folder), "--check"]) == 1
    looked = capsys.readouterr().out
    assert looked.count("✓") == 7
    assert "loss.py 第 1 行 `def loss(`：不符合 Python 语法" in looked
    assert "损失函数”，而它还没有做对" in looked
    assert main(["course", str(folder), "--check", "masks"]) == 0
    assert "--graduate" not in capsys.readouterr().out
    assert main(["course", str(tmp_path / "nowhere"), "--check"]) == 2
    assert "no folder" in capsys.readouterr().err


def test_who_has_done_everything_is_told_how_to_graduate_and_does(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["course", str(folder), "--check"]) == 0
    looked = capsys.readouterr().out
    assert looked.count("✓") == len(EXERCISES) == 9
    assert f"course {folder} --graduate" in looked
    assert main(["course", str(folder), "--graduate", "abcde", "--model", "reverse"]) == 0
    assert "abcde → edcba" in capsys.readouterr().out
    assert "headlight" in (folder / "mine.html").read_text(encoding="utf-8")


def test_a_layer_that_the_shipped_model_lacks_is_named(folder: Path) -> None:
    path = folder / "encoder_layer.py"
    text = path.read_text(encoding="utf-8")
    own = "self.inner = nn.Linear(d_model, d_ff)"
    path.write_text(text.replace(own, f"self.own = nn.Linear(2, 2); {own}"), encoding="utf-8")
    with pytest.raises(HeadlightError, match=r"EncoderLayer has a parameter .* `encoder\.0\.own"):
        graduate("reverse", "abc", folder)


def test_programs_read_what_was_found(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder, "masks", ".tril()", ".triu()")
    change(folder, "loss", "    logits", "    print('{here} 看')\n    logits")
    assert main(["course", str(folder), "--check", "--json", "--language", "zh"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["format"], report["right"], report["of"]) == ("headlight-course", 8, 9)
    masks = report["exercises"][1]
    assert (masks["exercise"], masks["title"], masks["right"]) == ("masks", "掩码", False)
    [remark] = masks["remarks"]
    assert remark["code"] == "causal_transposed"
    assert "行是查询" in remark["sentence"]
    assert "{here} 看\n" in report["exercises"][6]["printed"]


def test_gradescope_gets_the_points_that_a_teacher_gives(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(folder, "masks", ".tril()", ".triu()")
    points = tmp_path / "points.json"
    points.write_text('{"masks": 2, "attention": 1.5}', encoding="utf-8")
    command = ["course", str(folder), "--check", "--gradescope", "--points", str(points)]
    assert main(command) == 0
    tests = json.loads(capsys.readouterr().out)["tests"]
    assert [(test["name"], test["score"], test["max_score"], test["status"]) for test in tests] == [
        ("Attention", 1.5, 1.5, "passed"),
        ("Masks", 0, 2, "failed"),
    ]
    assert "Rows are queries" in tests[1]["output"]
    for wrong, sentence in (
        ("{", "is no JSON"),
        ('{"atention": 1}', "no exercise 'atention'"),
        ('{"masks": "two"}', "is no number"),
    ):
        points.write_text(wrong, encoding="utf-8")
        assert main(command) == 2
        assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_language_says_the_same_things(language: str) -> None:
    texts = [
        json.loads((LOCALES / f"{code}.json").read_text(encoding="utf-8"))
        for code in ("en", language)
    ]
    for part in ("frame", "remarks", "exercises"):
        assert texts[0][part].keys() == texts[1][part].keys()
    for code, text in texts[0]["remarks"].items():
        assert holes(text) == holes(texts[1]["remarks"][code]), code


def holes(text: str) -> set[str]:
    return set(re.findall(r"{(\w+)}", text))
