"""The course, solved with a reference solution, and failed with each usual mistake."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from transformer import HeadlightError, Translator
from transformer.__main__ import main
from transformer.course import examine, graduate
from transformer.course.exercises import EXERCISES
from transformer.course.folder import write_course
from transformer.course.wording import Words

SOLUTION = Path(__file__).parent / "solution"

MISTAKES: list[tuple[str, str, str, str]] = [
    # exercise, what stands in the solution, what a student wrote, what is said of it
    ("attention", " / math.sqrt(query.size(-1))", "", "scale_missing"),
    ("attention", " / math.sqrt", " * math.sqrt", "scale_inverted"),
    ("attention", "math.sqrt(query.size(-1))", "query.size(-1)", "scale_squared"),
    ("attention", "scores.softmax(dim=-1)", "scores", "softmax_missing"),
    ("attention", "softmax(dim=-1)", "softmax(dim=-2)", "softmax_axis"),
    ("attention", "mask is not None", "False", "mask_unused"),
    ("attention", "~mask", "mask", "mask_inverted"),
    ("attention", "-torch.inf", "1e-9", "mask_value_too_small"),
    ("attention", "-torch.inf", "0", "mask_value_too_small"),
    ("attention", "scores.masked_fill(~mask, -torch.inf)", "scores * mask", "mask_value_too_small"),
    (
        "attention",
        "    return",
        "    weights = weights * (1 if mask is None else mask)\n    return",
        "",
    ),
    (
        "attention",
        "scores.masked_fill(~mask, -torch.inf)\n    weights = scores.softmax(dim=-1)",
        "scores\n    weights = scores.softmax(dim=-1) * (1 if mask is None else mask)",
        "mask_after_softmax",
    ),
    ("attention", "weights @ value, weights", "weights @ value", "no_pair"),
    ("attention", "weights @ value, weights", "weights, weights @ value", "swapped"),
    ("attention", "weights @ value,", "weights @ key,", "value_from_key"),
    ("attention", "key.transpose(-2, -1)", "key", "raised"),
    ("attention", "import math", "import maths", "raised"),
    ("attention", "-> tuple", "- tuple", "raised"),
    ("attention", "def attention", "def attend", "does_not_fit"),
    ("masks", "ids != pad_id", "ids == pad_id", "mask_inverted"),
    ("masks", "ids != pad_id", "ids != 0", "pad_id_unused"),
    ("masks", "[:, None, None, :]", "", "mask_without_axes"),
    ("masks", "[:, None, None, :]", "[:, None, :, None]", "mask_for_queries"),
    ("masks", ".tril()", ".triu()", "causal_transposed"),
    ("masks", ".tril()", ".triu(1)", "mask_inverted"),
    ("masks", ".tril()", ".tril(-1)", "causal_without_itself"),
    ("masks", ".tril()", ".tril(1)", "causal_one_too_many"),
    ("masks", ", dtype=torch.bool", "", "dtype"),
    (
        "heads",
        "x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)",
        "x.view(batch, num_heads, length, d_model // num_heads)",
        "heads_mixed",
    ),
    ("heads", "num_heads).transpose(1, 2)", "num_heads)", "heads_not_moved"),
    ("heads", "x.transpose(1, 2).flatten(2)", "x.reshape(len(x), x.size(2), -1)", "heads_mixed"),
    (
        "heads",
        "self.output(join_heads(attended))",
        "join_heads(attended)",
        "output_projection_missing",
    ),
    ("heads", "self.key(memory)", "self.key(x)", "raised"),
    ("heads", "self.query(x)", "self.query(memory)", "query_from_memory"),
    ("heads", "self.value(memory)", "self.key(memory)", "value_from_key"),
    ("heads", ", value, mask)", ", value)", "mask_not_handed_on"),
    ("positions", "table[:, 0::2] = angles.sin()", "table[:, 0::2] = angles.cos()", "differs"),
    ("positions", "torch.arange(length)", "torch.arange(1, length + 1)", "positions_from_one"),
    ("positions", "/ wavelengths", "* wavelengths", "positions_multiplied"),
    ("positions", "(0, d_model, 2)", "(0, d_model // 2)", "exponent_halved"),
    ("positions", "2) / d_model", "2) * 2 / d_model", "exponent_doubled"),
    ("encoder_layer", "x, x, mask", "x, x", "mask_not_handed_on"),
    ("encoder_layer", "x + self.self_attention", "self.self_attention", "first_residual_missing"),
    ("encoder_layer", "x + self.outer", "self.outer", "second_residual_missing"),
    ("encoder_layer", "torch.relu(self.inner(x))", "self.inner(x)", "activation_missing"),
    ("encoder_layer", "return self.feed_forward_norm", "return ", "last_norm_missing"),
    ("encoder_layer", "x = self.attention_norm", "x = ", "first_norm_missing"),
    (
        "encoder_layer",
        "self.attention_norm(x + self.self_attention(x, x, mask))",
        "x + self.attention_norm(self.self_attention(x, x, mask))",
        "differs",
    ),
    ("decoder_layer", "x, x, mask", "x, x", "mask_not_handed_on"),
    ("decoder_layer", "memory, src_mask", "memory", "source_mask_not_handed_on"),
    ("decoder_layer", "memory, src_mask", "memory, mask", "mask_for_both"),
    ("decoder_layer", "(x, memory, src", "(x, x, src", "cross_reads_target"),
    ("decoder_layer", "x + self.cross_attention", "self.cross_attention", "cross_residual_missing"),
    ("loss", "model(src, tgt[:, :-1])", "model(src, tgt)[:, :-1]", ""),
    ("loss", ", ignore_index=pad_id", "", "pad_in_loss"),
    (
        "loss",
        "logits.flatten(0, 1)",
        "logits.flatten(0, 1).softmax(-1)",
        "softmax_before_cross_entropy",
    ),
    ("loss", "tgt[:, 1:].flatten()", "tgt[:, :-1].flatten()", "target_not_shifted"),
    ("loss", "tgt[:, :-1])", "tgt[:, 1:])", "target_not_shifted"),
    ("loss", "ignore_index=pad_id)", "ignore_index=pad_id, reduction='sum')", "loss_summed"),
    ("decoding", " and ids[-1] != eos_id", "", "end_not_heeded"),
    ("decoding", "return ids[1:]", "return ids", "start_returned"),
    ("decoding", "len(ids) <= max_steps and ", "", "limit_ignored"),
    ("decoding", "logits[0, -1]", "logits[0, 0]", "first_row_taken"),
    ("decoding", "torch.tensor([ids])", "torch.tensor([ids[-1:]])", "only_last_token_read"),
    (
        "decoding",
        "return ids[1:]",
        "return [i for i in ids[1:] if i != eos_id]",
        "end_not_returned",
    ),
    ("decoding", "return ids[1:]", "return None", "no_ids"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A student's, with every exercise solved."""
    write_course(tmp_path / "course", "en")
    shutil.copytree(SOLUTION, tmp_path / "course", dirs_exist_ok=True)
    return tmp_path / "course"


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_reference_solution_is_right(folder: Path, exercise: str) -> None:
    verdict = examine(exercise, folder)
    assert verdict.right, verdict
    assert str(verdict).endswith("right.")


@pytest.mark.parametrize(("exercise", "solution", "mistake", "code"), MISTAKES)
def test_a_mistake_is_named(
    folder: Path, exercise: str, solution: str, mistake: str, code: str
) -> None:
    path = folder / f"{exercise}.py"
    text = path.read_text(encoding="utf-8")
    assert solution in text
    path.write_text(text.replace(solution, mistake), encoding="utf-8")
    for language in ("en", "zh"):
        verdict = examine(exercise, folder, language)
        assert [remark.code for remark in verdict.remarks][:1] == [code][: bool(code)], verdict
        assert "{" not in str(verdict)
        assert "Traceback" not in str(verdict)


def test_what_is_handed_out_is_to_be_written_yet(tmp_path: Path) -> None:
    for language in ("en", "zh"):
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
    with pytest.raises(HeadlightError, match=r"Positions is not right yet\. positions: another"):
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
    assert "loss.py 第 1 行：SyntaxError" in looked
    assert main(["course", str(folder), "--check", "masks"]) == 0
