"""From text files to batches."""

import gzip
from itertools import takewhile
from pathlib import Path

import pytest
import torch

from transformer import Tokenizer
from transformer.training.data import (
    Example,
    Text,
    batch_stream,
    collate,
    encode,
    read_pairs,
    read_text,
)
from transformer.training.errors import TrainingError


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "corpus.tsv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def examples(lengths: list[tuple[int, int]]) -> list[Example]:
    return [Example(Text("", ""), [4] * src, [1, *[4] * (tgt - 1), 2]) for src, tgt in lengths]


def test_pairs_are_read_whatever_the_editor_made_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "\ufeffI see.\t我懂了。\r\n one\u2028line \t 一行\r\n")
    assert read_pairs(path) == [Text("I see.", "我懂了。"), Text("one\u2028line", "一行")]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "is empty"),
        ("a\tb\n\nc\td\n", "line 2 is blank: take it out"),
        ("a\tb\nc\n", "line 2: a pair is two columns .* has 1"),
        # A sentence may hold a lone CR, and no line ends there.
        ("a\rb\tc\na\tb\tc\n", "line 2: .* has 3"),
        ("a\tb\na\tb\tc\n", "line 2: .* has 3"),
        ("a\tb\n\tb\n", "line 2: the first column is empty"),
        ("a\t \n", "line 1: the second column is empty"),
        ("a\t\u200b\ufeff\n", "line 1: the second column is empty"),
        ("a\tb\n\u200b\n", "line 2 is blank"),
        ("a\tb\rc\td\r", "CR alone"),
        (b"a\tb\ncaf\xe9\tx\n", "line 2: not UTF-8 text: byte 4 is 0xe9 .*save it as UTF-8"),
        ("我爱你\tb\n".encode("gbk"), "line 1: not UTF-8 text: .*GBK.*save it as UTF-8"),
        ("a\tb\n".encode("utf-16"), "UTF-16.*save it as UTF-8"),
        ("a\tb\n".encode("utf-16-le"), "UTF-16.*save it as UTF-8"),
        (gzip.compress(b"a\tb\n", mtime=0), "packed by gzip: unpack it first"),
    ],
)
def test_a_file_that_is_not_pairs_is_refused_by_line(
    tmp_path: Path, content: str | bytes, sentence: str
) -> None:
    with pytest.raises(TrainingError, match=f"corpus.tsv.*{sentence}"):
        read_pairs(written(tmp_path, content))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"cannot read .*nowhere\.tsv: No such file"):
        read_pairs(tmp_path / "nowhere.tsv")


def test_plain_text_skips_blank_lines(tmp_path: Path) -> None:
    assert read_text(written(tmp_path, "春眠不觉晓\n\n处处闻啼鸟\n")) == [
        Text("", "春眠不觉晓"),
        Text("", "处处闻啼鸟"),
    ]
    with pytest.raises(TrainingError, match="only blank lines"):
        read_text(written(tmp_path, "\n \n"))


def test_encoding_adds_special_tokens_and_leaves_out_the_too_long(tokenizer: Tokenizer) -> None:
    texts = [Text("I love you.", "我爱你。"), Text("I love you.", "我爱你。" * 20), Text("", "早")]
    short, alone = encode(texts, tokenizer, max_length=24)
    assert short.src == [*tokenizer.encode("I love you."), 2]
    assert short.tgt == [1, *tokenizer.encode("我爱你。"), 2]
    assert alone.src == []
    with pytest.raises(TrainingError, match="every example is longer than max_length"):
        encode(texts[:1], tokenizer, max_length=3)


def test_an_epoch_holds_every_example_once_with_little_padding() -> None:
    corpus = examples([(2 + i % 13, 2 + (i * 7) % 11) for i in range(500)])
    batches = [batch for _, batch in takewhile(lambda b: b[0] == 0, batch_stream(corpus, 120, 1))]
    assert sorted(index for batch in batches for index in batch) == list(range(500))
    padded = real = 0
    for batch in batches:
        for ids in collate([corpus[index] for index in batch]):
            assert ids[:, : ids.size(1)].numel() <= 120 + len(batch)  # tgt has one id more
            padded += ids.numel()
            real += int((ids != 0).sum())
    assert real / padded > 0.85


def test_the_copies_of_a_short_phrase_meet_many_updates() -> None:
    phrase, copies = (2, 2), 24
    corpus = examples([phrase] * copies + [(3 + i % 13, 3 + (i * 7) % 11) for i in range(8000)])
    batches = [batch for _, batch in takewhile(lambda b: b[0] == 0, batch_stream(corpus, 120, 1))]
    assert sum(min(batch) < copies for batch in batches) > copies / 4


def test_batches_depend_on_the_seed_and_epoch_alone() -> None:
    corpus = examples([(3 + i % 5, 4) for i in range(60)])

    def first(seed: int, count: int) -> list[tuple[int, list[int]]]:
        stream = batch_stream(corpus, 40, seed)
        return [next(stream) for _ in range(count)]

    assert first(1, 30) == first(1, 30)
    assert first(1, 30) != first(2, 30)
    epochs = first(1, 30)
    per_epoch = sum(epoch == 0 for epoch, _ in epochs)
    assert [batch for _, batch in epochs[:per_epoch]] != [
        batch for _, batch in epochs[per_epoch : 2 * per_epoch]
    ]


def test_an_example_longer_than_a_batch_is_one_of_its_own() -> None:
    corpus = examples([(3, 3), (50, 3), (3, 4)])
    batches = [batch for _, batch in takewhile(lambda b: b[0] == 0, batch_stream(corpus, 10, 1))]
    assert [1] in batches


def test_collating_pads_at_the_end() -> None:
    src, tgt = collate(examples([(2, 3), (1, 2)]))
    assert torch.equal(src, torch.tensor([[4, 4], [4, 0]]))
    assert torch.equal(tgt, torch.tensor([[1, 4, 4, 2], [1, 4, 2, 0]]))


def test_a_recipe_that_normalises_learns_what_will_be_read(tokenizer: Tokenizer) -> None:
    typed, plain = Text("I don’t 🎉", "他说：“是的！”"), Text("I don't", "他说：“是的！”")
    [read] = encode([typed], tokenizer, 64, normalise=True)
    [expected] = encode([plain], tokenizer, 64)
    assert (read.src, read.tgt, read.text) == (expected.src, expected.tgt, typed)
    [as_typed] = encode([typed], tokenizer, 64)
    assert as_typed.src != read.src
