"""The models that come with Headlight: each whole, described, and as good as its card says."""

import re

import pytest
import torch
from safetensors.torch import load_file

from scripts.toy_corpus import LONGEST
from transformer import Translator, checkpoint
from transformer.checkpoint import OWN_TOKENIZERS, TOKENIZER
from transformer.checkpoint.checksums import FILES
from transformer.checkpoint.lexicon import LEXICON
from transformer.checkpoint.measured_heads import HEADS
from transformer.checkpoint.weights import weight_files
from transformer.trace.kinds import num_layers
from transformer.trace.sampling import Sampling
from transformer.trace.trace import AttentionTrace
from transformer.training.history import CURVE, History
from transformer.training.history import FILE as HISTORY
from transformer.translator import TraceRequest

MEGABYTE = 1_000_000
NAMES = ("en-de", "en-fr", "en-zh", "repeat", "reverse", "story", "tang", "zh-en")
DECODERS = ("repeat", "story", "tang")
TRANSLATORS = tuple(name for name in NAMES if name not in DECODERS)

FIRST_LINES = (
    *("秋风过竹楼", "夜雪满孤村", "江船带月归", "新茶煮晚烟", "春草绿山桥"),
    *("客行千里外", "晓钟出远寺", "窗前梅半开", "落日照空城", "归鸟入寒林"),
    *("一夜秋风到小楼", "故人书信隔年来", "江上青峰带雨看", "病起闲看院里花", "天涯今夜月如霜"),
    *("山寺钟声过水迟", "春尽江南客未归", "独向西窗听夜雨", "边城八月雪初飞", "柳絮随风过断桥"),
)
"""Our own: no poem that the model has read holds any of them."""


LEARNED_WORDS = ("en-de", "en-fr", "en-zh", "zh-en")
"""Those of two languages, whose words mean something in the other."""


def test_all_of_them_are_installed() -> None:
    assert set(NAMES) <= set(checkpoint.available())


def test_together_they_are_light_enough_for_a_repository() -> None:
    files = [file for name in NAMES for file in checkpoint.find(name).iterdir()]
    assert sum(file.stat().st_size for file in files) < 120 * MEGABYTE
    # A Space takes no larger one without Git LFS.
    assert max(file.stat().st_size for file in files) < 10 * MEGABYTE


@pytest.mark.parametrize("name", NAMES)
def test_each_is_whole(name: str) -> None:
    folder = checkpoint.find(name)
    weights = weight_files(folder)
    tokenizers = {TOKENIZER} if (folder / TOKENIZER).exists() else {*OWN_TOKENIZERS}
    files = {"config.json", FILES, HISTORY, CURVE, HEADS, "README.md", "attention.png"}
    files |= {"README.zh.md", "README.fr.md"}
    files |= {LEXICON} if name in LEARNED_WORDS else set()
    files |= tokenizers | {file.name for file in weights}
    assert Translator.load(name).measured_heads, "measured of other weights"
    assert {file.name for file in folder.iterdir()} == files
    tensors = [t for file in weights if file.suffix != ".json" for t in load_file(file).values()]
    assert tensors
    assert {tensor.dtype for tensor in tensors} == {torch.float16}


def test_where_each_ones_training_ended_is_known() -> None:
    longest = {name: checkpoint.read_card(checkpoint.find(name))["longest"] for name in TRANSLATORS}
    assert longest["reverse"] == LONGEST
    for name, length in longest.items():
        examples = checkpoint.read_card(checkpoint.find(name))["examples"]
        tokenizer = checkpoint.load(checkpoint.find(name)).tokenizer
        assert max(len(tokenizer.encode(text)) for text in examples) <= length, name


@pytest.mark.parametrize("name", NAMES)
def test_each_has_a_card(name: str) -> None:
    folder = checkpoint.find(name)
    card = checkpoint.read_card(folder)
    assert card["title"].keys() == {"en", "zh", "fr"}
    assert card["examples"]
    _, front_matter, text = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    for field in ("license", "library_name", "tags"):
        assert re.search(f"^{field}:", front_matter, re.MULTILINE), f"{name} names no {field}"
    for heading in ("## Data", "## Recipe", "## Scores", "## Limits"):
        assert heading in text, f"{name} has no {heading}"
    assert f"python -m transformer train {name} " in text
    assert "](attention.png)" in text
    for figure in card["scores"].values():
        assert str(figure) in text, f"the card of {name} tells another score"


@pytest.mark.parametrize("name", NAMES)
def test_each_remembers_how_it_learned(name: str) -> None:
    path = checkpoint.find(name) / HISTORY
    assert path.stat().st_size < 3 * MEGABYTE
    history = History.load(path)
    config, _ = checkpoint.read_config(path.parent)
    assert history.steps[0] == 0
    assert len(history.steps) >= 20
    for step in history.steps:
        for pair, kinds in zip(history.pairs, history.weights[step], strict=True):
            for kind, weights in kinds.items():
                queries = pair["src"] if kind == "encoder_self" else pair["tgt_in"]
                keys = pair["tgt_in"] if kind == "decoder_self" else pair["src"]
                layers = num_layers(config, kind)
                assert weights.shape == (layers, config.num_heads, len(queries), len(keys))
                assert abs(weights.astype("float32").sum(-1) - 1).max() < 2e-3


@pytest.mark.parametrize("name", TRANSLATORS)
def test_a_pair_of_the_history_is_what_the_shipped_model_sees(name: str) -> None:
    pair = History.load(checkpoint.find(name) / HISTORY).pairs[0]
    trace = Translator.load(name, device="cpu").trace(pair["source"], pair["target"])
    assert list(trace.src) == pair["src"]
    assert list(trace.tgt_in) == pair["tgt_in"]


@pytest.mark.parametrize("name", TRANSLATORS)
def test_each_example_is_translated_to_its_end(name: str) -> None:
    translator = Translator.load(name, device="cpu")
    for example in translator.card["examples"]:
        trace = translator.trace(example)
        assert trace.stop_reason == "eos"
        assert "<unk>" not in trace.src


def test_what_everybody_types_first_is_translated() -> None:
    assert Translator.load("en-zh", device="cpu").translate("I love you.") == "我爱你。"


BEGINNINGS = (
    *("The old man", "My little sister wants", "We should go to the", "The children are playing"),
    *("Could you please tell me", "This book is", "Every morning I drink", "There is a cat"),
    *("They have lived in Paris", "I would like to buy", "How many people", "Thank you for"),
)
"""Our own, written before anything that it says was seen."""


def test_the_finisher_of_sentences_finishes_them_in_whole_words() -> None:
    finisher = Translator.load("story", device="cpu")
    for beginning in BEGINNINGS:
        trace = finisher.trace(beginning)
        assert trace.stop_reason == "eos"
        assert trace.translation.startswith(f"{beginning} ")
        assert trace.translation[-1] in ".?!"
        assert 1 <= trace.translation.count(" ") <= 20
        begun = [label for label in trace.tgt_in[1:] if label[0] == "␣" or label in ".,?!"]
        assert len(begun) >= 0.9 * (len(trace.tgt_in) - 1), trace.tgt_in


def test_the_poet_keeps_the_form_of_a_quatrain() -> None:
    poet = Translator.load("tang", device="cpu")
    kept = 0
    for seed in range(10):
        sampling = Sampling(temperature=0.8, seed=seed)
        requests = [TraceRequest(line + "，", sampling=sampling) for line in FIRST_LINES]
        for line, trace in zip(FIRST_LINES, poet.traces(requests, top_k=0), strict=True):
            assert isinstance(trace, AttentionTrace)
            kept += is_quatrain(trace.translation, len(line))
    assert kept >= 180  # of 200


def is_quatrain(poem: str, length: int) -> bool:
    """Whether a poem is four lines of `length` characters, ended by ，。，。 (or ？ or ！)."""
    lines, ends = poem[: 4 * (length + 1)], poem[length :: length + 1]
    words = [character for i, character in enumerate(lines) if i % (length + 1) != length]
    return (
        len(poem) == 4 * (length + 1)
        and ends[0] in "，？！"
        and ends[2] in "，？！"
        and ends[1] in "。？！"
        and ends[3] in "。？！"
        and all("\u4e00" <= word <= "\u9fff" or word > "\uffff" for word in words)
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", ["zh", "fr"])
def test_a_card_in_short_has_the_figures_of_the_whole_one(name: str, language: str) -> None:
    """Half a page in each language of the page; a model that is trained again changes all three."""
    folder = checkpoint.find(name)
    whole = (folder / "README.md").read_text(encoding="utf-8")
    short = (folder / f"README.{language}.md").read_text(encoding="utf-8")
    if language == "fr":
        short = re.sub(r"(?<=\d),(?=\d)", ".", short)
        short = re.sub(r"(?<=\d)\u202f(?=\d)", ",", short)
    figures = re.compile(r"\d[\d,]*\.\d+|\d{1,3}(?:,\d{3})+|\d{2,}")
    numbers = {*figures.findall(whole)}
    assert {*figures.findall(short)} - numbers == set()
    assert len(short) > 300
