"""The README's code for models of one's own, run as it is printed but for the model's name."""

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
PIECES = [*SPECIAL, *["The", "cat", "sat", "down", ".", "It", "was", "tired"]]


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    words = Tokenizer(models.WordPiece({it: i for i, it in enumerate(PIECES)}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    words.post_processor = processors.TemplateProcessing(
        single="$A",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return PreTrainedTokenizerFast(tokenizer_object=words, pad_token="[PAD]", unk_token="[UNK]")


def snippets() -> tuple[str, str, str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.split("## Your own model's attention in three lines")[1].split("\n## ")[0]
    first, second, third, *_ = BLOCK.findall(section)
    return first, second, third


def test_tensors_are_viewed_as_printed(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    sizes: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    BertModel(BertConfig(**sizes, intermediate_size=16, vocab_size=20)).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    code = snippets()[0].replace("bert-base-uncased", str(tmp_path))
    *lines, last = code.strip().splitlines()
    names: dict[str, Any] = {}
    exec("\n".join(lines), names)
    trace = eval(last, names)
    assert trace.source == "The cat sat down. It was tired."
    assert trace.guest.parts["src"] == (-1, *[0] * 5, -1, *[1] * 4, -1)


@pytest.mark.parametrize("encodes", [False, True])
def test_what_was_generated_is_viewed_as_printed(
    tokenizer: PreTrainedTokenizerFast,
    encodes: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import headlight

    torch.manual_seed(0)
    ends: dict[str, Any] = {"vocab_size": 12, "eos_token_id": 3, "pad_token_id": 0}
    eager: dict[str, Any] = {"attn_implementation": "eager"}
    if encodes:
        ends["decoder_start_token_id"] = 0
        sizes: dict[str, Any] = {
            "d_model": 16,
            "d_kv": 8,
            "d_ff": 16,
            "num_layers": 2,
            "num_heads": 2,
        }
        model: Any = T5ForConditionalGeneration(T5Config(**sizes, **ends, **eager))
    else:
        config = GPT2Config(n_embd=16, n_layer=2, n_head=2, bos_token_id=2, **ends, **eager)
        model = GPT2LMHeadModel(config)
    monkeypatch.chdir(tmp_path)
    exec(snippets()[1], {"headlight": headlight, "tokenizer": tokenizer, "model": model.eval()})
    assert "The cat sat" in (tmp_path / "generated.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["README.md", "README.zh.md", "README.fr.md"])
def test_a_module_of_ones_own_is_traced_as_printed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import headlight

    text = (ROOT / name).read_text(encoding="utf-8")
    [code] = [block for block in BLOCK.findall(text) if "headlight.trace(" in block]
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"headlight": headlight, "torch": torch}
    exec(code, names)
    assert names["trace"].src == ("I", "wrote", "this", "last", "week")
    assert "wrote" in (tmp_path / "mine.html").read_text(encoding="utf-8")


def test_a_model_is_loaded_as_printed(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import headlight

    ends: dict[str, Any] = {"vocab_size": 12, "eos_token_id": 3, "pad_token_id": 0}
    GPT2LMHeadModel(
        GPT2Config(n_embd=16, n_layer=2, n_head=2, bos_token_id=2, **ends)
    ).save_pretrained(tmp_path / "saved")
    tokenizer.save_pretrained(tmp_path / "saved")
    monkeypatch.chdir(tmp_path)
    code = snippets()[2].replace('"gpt2"', f'"{(tmp_path / "saved").as_posix()}"')
    names: dict[str, Any] = {"headlight": headlight}
    exec(code, names)
    assert "The cat sat" in (tmp_path / "gpt2.html").read_text(encoding="utf-8")
    assert not names["trace"].decoder_self[0, 0].any()
    names["model"].close()
