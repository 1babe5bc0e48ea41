"""The checkpoints that come with the project."""

import json
import re

import pytest
from safetensors.torch import load_file

from transformer import Translator, checkpoint
from transformer.training.history import History

NAMES = ("en-zh", "reverse")


@pytest.mark.parametrize("name", NAMES)
def test_it_is_light_enough_to_clone(name: str) -> None:
    files = [file for file in checkpoint.find(name).iterdir() if file.is_file()]
    assert {"model.safetensors", "config.json", "tokenizer.model", "README.md", "history.npz"} == {
        file.name for file in files
    }
    assert max(file.stat().st_size for file in files) < 20_000_000
    weights = load_file(checkpoint.find(name) / "model.safetensors")
    assert {str(tensor.dtype) for tensor in weights.values()} == {"torch.float16"}


@pytest.mark.parametrize("name", NAMES)
def test_its_card_says_what_it_is(name: str) -> None:
    folder = checkpoint.find(name)
    card = checkpoint.read_card(folder)
    readme = (folder / "README.md").read_text(encoding="utf-8")
    front, text = re.fullmatch(r"---\n(.*?)\n---\n(.*)", readme, re.DOTALL).groups()  # pyright: ignore[reportOptionalMemberAccess]
    assert {"license", "library_name", "tags"} <= set(re.findall(r"^(\w+):", front, re.MULTILINE))
    assert card["title"].keys() == {"en", "zh"}
    assert card["examples"]
    assert f"python -m transformer train {name} " in text
    assert str(card["scores"]["bleu"]) in text
    assert card["scores"]["signature"] in text


@pytest.mark.parametrize("name", NAMES)
def test_it_translates_its_own_examples(name: str) -> None:
    translator = Translator.load(checkpoint.find(name), device="cpu")
    for example in checkpoint.read_card(checkpoint.find(name))["examples"]:
        trace = translator.trace(example)
        assert trace.stop_reason == "eos"
        assert "<unk>" not in trace.src


@pytest.mark.parametrize("name", NAMES)
def test_it_remembers_how_it_learned(name: str) -> None:
    path = checkpoint.find(name) / "history.npz"
    assert path.stat().st_size < 3_000_000
    history = History.load(path)
    config = json.loads((path.parent / "config.json").read_text(encoding="utf-8"))["model"]
    assert history.steps[0] == 0
    assert len(history.steps) >= 20
    for step in history.steps:
        for pair, weights in zip(history.pairs, history.weights[step], strict=True):
            layers, heads = config["num_decoder_layers"], config["num_heads"]
            assert weights["cross"].shape == (layers, heads, len(pair["tgt_in"]), len(pair["src"]))
            for kind in weights.values():
                assert abs(kind.astype("float32").sum(-1) - 1).max() < 2e-3


def test_a_pair_of_the_history_ends_as_the_shipped_model_sees_it() -> None:
    history = History.load(checkpoint.find("en-zh") / "history.npz")
    translator = Translator.load(checkpoint.find("en-zh"), device="cpu")
    pair = history.pairs[0]
    trace = translator.trace_pair(pair["source"], pair["target"])
    assert list(trace.src) == pair["src"]
    assert list(trace.tgt_in) == pair["tgt_in"]


def test_en_zh_translates_what_everybody_types_first() -> None:
    translator = Translator.load(checkpoint.find("en-zh"), device="cpu")
    assert translator.translate("I love you.") == "我爱你。"
