"""Cross-attention against links that people drew."""

from pathlib import Path

import pytest

from transformer import Translator, checkpoint
from transformer.__main__ import main
from transformer.training.data import Text
from transformer.training.errors import TrainingError
from transformer.training.score_alignment import read_links, score_alignment


@pytest.fixture(scope="module")
def reverse() -> Translator:
    return Translator.load(checkpoint.find("reverse"), device="cpu")


def test_sure_and_possible_links_are_read(tmp_path: Path) -> None:
    path = tmp_path / "gold.txt"
    path.write_text("0-0 1?2 3p1\n\n2-2\n")
    first, empty, last = read_links(path)
    assert first.sure == {(0, 0)}
    assert first.possible == {(0, 0), (1, 2), (3, 1)}
    assert not empty.possible
    assert last.sure == {(2, 2)}


@pytest.mark.parametrize("link", ["0:0", "0-", "-1-0", "a-b", "0-0-0"])
def test_what_is_no_link_is_named(tmp_path: Path, link: str) -> None:
    path = tmp_path / "gold.txt"
    path.write_text(f"0-0\n{link}\n")
    with pytest.raises(TrainingError, match=r"line 2: .* is no link"):
        read_links(path)


def test_a_head_that_copies_backwards_aligns_backwards(reverse: Translator, tmp_path: Path) -> None:
    # Its every symbol is a word of its own, once the language is written without spaces.
    reverse.card.update(source_language="zh", target_language="zh")
    sequences = ["headlight", "Transformer", "attention", "Q7kP2mX"]
    texts = [Text(" ".join(s), " ".join(reversed(s))) for s in sequences]
    path = tmp_path / "gold.txt"
    path.write_text(
        "".join(" ".join(f"{len(s) - 1 - i}-{i}" for i in range(len(s))) + "\n" for s in sequences)
    )
    scores = score_alignment(reverse, texts, read_links(path))
    layers, heads = reverse.config.num_decoder_layers, reverse.config.num_heads
    assert [(s.layer, s.head) for s in scores] == [
        (layer, head) for layer in range(layers) for head in (None, *range(heads))
    ]
    best = min(scores, key=lambda score: score.predicts)
    assert best.predicts < 0.1
    # One step later it looks for the next symbol already.
    assert best.reads > 0.5


def test_files_that_do_not_belong_together_are_refused(
    translator: Translator, tmp_path: Path
) -> None:
    path = tmp_path / "gold.txt"
    path.write_text("0-0\n")
    with pytest.raises(TrainingError, match="2 pairs, but 1 lines of links"):
        score_alignment(translator, [Text("I love", "you")] * 2, read_links(path))
    path.write_text("2-0\n")
    with pytest.raises(TrainingError, match="line 1: the link 2-0 names a word that is not there"):
        score_alignment(translator, [Text("I love", "you")], read_links(path))


def test_the_command_prints_a_row_a_head_and_the_best(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, path = tmp_path / "pairs.tsv", tmp_path / "gold.txt"
    data.write_text("light\tthgil\nhead\tdaeh\n")
    path.write_text("0-0\n0-0\n")
    command = ["evaluate", "--model", "reverse", "--data", str(data), "--align", str(path)]
    assert main(command) == 0
    printed = capsys.readouterr().out
    # A single word a side can only be linked right.
    assert printed.count("0.000") == 2 * 2 * (4 + 1) + 1
    assert "best: 0.000, L1.mean, by the row that" in printed
