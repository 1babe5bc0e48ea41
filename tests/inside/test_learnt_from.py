"""The lines that are named are the model's own, and the nearest of those that were read."""

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.tiny import tiny_checkpoint
from transformer import HeadlightError, Tokenizer, Translator, inside
from transformer.ask.options import Perhaps, WholeNumber
from transformer.checkpoint.line_index import LineIndex, terms

SOURCE = "The cat sleeps on the warm bed."
LINES = [
    ("The cat sleeps on the warm bed.", "猫睡在温暖的床上。"),
    ("The cat sleeps.", "猫睡。"),
    ("We walked along the river.", "我们沿着河边走。"),
    ("Good morning", "早上好"),
]


@pytest.fixture
def reader(tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Translator:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path))
    rows = "".join(f"{source}\t{target}\n" for source, target in LINES)
    (tmp_path / "everyday.tsv").write_text(rows, encoding="utf-8")
    it = tiny_checkpoint(tokenizer, max_length=64)
    it.card["training_text"] = {
        "files": [{"name": "everyday.tsv", "columns": [0, 1]}],
        "others": {"en": "more"},
    }
    return Translator(it)


def test_the_nearest_states_of_the_lines_that_share_words(reader: Translator) -> None:
    trace = reader.trace(SOURCE, LINES[0][1])
    step = 2
    search = inside.learnt_from(reader, trace, step)
    assert (search.searched, search.read, search.others) == (4, 3, {"en": "more"})
    first = search.lines[0]
    assert (first.file, first.line, first.at) == ("everyday.tsv", 1, step), "the same state"
    assert first.similarity == pytest.approx(1, abs=1e-4)
    assert first.same_sentence
    assert first.same_token
    assert first.tokens[first.at] == search.token
    # Each by itself, without a batch.
    model, config = reader.model, reader.config

    def states(source: str, target: str) -> torch.Tensor:
        src = torch.tensor([[*reader.tokenizer.encode(source), config.eos_id]])
        tgt = torch.tensor([[config.bos_id, *reader.tgt_tokenizer.encode(target)]])
        with torch.inference_mode():
            return model.states(tgt, model.encode(src))[0]

    own = states(*LINES[0])[step]
    for each in search.lines:
        near = torch.cosine_similarity(states(each.source, each.target), own, dim=-1)
        assert each.similarity == pytest.approx(float(near.max()), abs=1e-4)
        assert each.at == int(near.argmax())
    np.testing.assert_allclose(search.similarities, -np.sort(-search.similarities))
    assert search.payload()["lines"][0]["line"] == 1


def test_rare_words_count_for_more() -> None:
    index = LineIndex(["a cat", "a dog", "a red dog", "the sea"])
    assert index.nearest("a red sea", 4) == [2, 3, 0, 1]
    assert index.nearest("nothing", 4) == []
    assert "Cat" in index
    assert terms("我爱你, don't!") == {"我", "爱", "你", "我爱", "爱你", "don't"}


def test_what_is_not_there_is_refused(reader: Translator, translator: Translator) -> None:
    for one, step, code in ((reader, 99, "bad_step"), (translator, 0, "no_training_text")):
        with pytest.raises(HeadlightError) as refused:
            inside.learnt_from(one, one.trace(SOURCE, max_steps=3), step)
        assert refused.value.code == code
    assert Perhaps(WholeNumber()).read("step", None) is None
