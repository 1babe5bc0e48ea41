"""Imported Marian models, against Hugging Face's own."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import MarianMTModel, MarianTokenizer

from tests.checkpoint.marian import CODES, ENGLISH, SHAPES, save_marian
from transformer import HeadlightError, Transformer, Translator, checkpoint, record
from transformer.__main__ import main
from transformer.checkpoint import Checkpoint
from transformer.checkpoint.importing import convert
from transformer.checkpoint.importing.import_model import import_model
from transformer.decoding import Hypothesis, decode
from transformer.text.vocabulary import VocabularyTokenizer
from transformer.trace.kinds import KINDS

# Hugging Face asks for a normaliser that it then never calls.
pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")

SOURCES = [
    *ENGLISH,
    *(f"{one} {other}" for one, other in zip(ENGLISH, ENGLISH[3:] + ENGLISH[:3], strict=True)),
    *(f"{CODES[0]} {text}" for text in ENGLISH),
    *(f"{CODES[1]}{text[::-1]}" for text in ENGLISH),
    *("I love 我爱你 you.", "  spaces   and\ttabs ", "naïve café", "ﬁne Ｗｉｄｅ", "12 + 30 = 42"),
    *("</ s >", "a >>fra<< b", "“Yes!” (no)", "龘 😀", "x"),
]
STEPS = 8


@dataclass(frozen=True)
class Pair:
    """A Marian model and what became of it."""

    folder: Path
    theirs: MarianMTModel
    tokenizer: MarianTokenizer
    imported: Checkpoint

    @property
    def ours(self) -> Transformer:
        assert isinstance(self.imported.model, Transformer)
        return self.imported.model


LARGE = "OPUS-MT's size"


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(LARGE, marks=pytest.mark.slow) if each == LARGE else each for each in SHAPES
    ],
)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    folder, shape = tmp_path_factory.mktemp("marian"), SHAPES[request.param]
    # More tokens are more of the same rows, and take long; the browser's tests download
    # a model of OPUS-MT's whole vocabulary.
    theirs, tokenizer = save_marian(folder, **shape | {"size": min(shape["size"], 4_000)})
    return Pair(folder, theirs, tokenizer, convert.read(folder))


@pytest.fixture(scope="module")
def src(pair: Pair) -> Tensor:
    return pair.tokenizer(SOURCES, return_tensors="pt", padding=True)["input_ids"]


@pytest.fixture(scope="module")
def hypotheses(pair: Pair, src: Tensor) -> list[Hypothesis]:
    return decode(pair.ours, src, max_steps=STEPS, top_k=3)


def test_text_becomes_the_same_ids(pair: Pair, src: Tensor) -> None:
    pad, eos = pair.ours.config.pad_id, pair.ours.config.eos_id
    ours = [[*pair.imported.tokenizer.encode(text), eos] for text in SOURCES]
    width = max(map(len, ours))
    assert src.tolist() == [row + [pad] * (width - len(row)) for row in ours]


@torch.inference_mode()
def test_logits_and_weights_are_theirs(
    pair: Pair, src: Tensor, hypotheses: list[Hypothesis]
) -> None:
    pad = pair.ours.config.pad_id
    src = src[::3]
    rows = [[pad, *hypothesis.ids[:-1]] for hypothesis in hypotheses[::3]]
    tgt = torch.tensor([row + [5] * (STEPS - len(row)) for row in rows])
    mask = src != pad
    theirs = pair.theirs(
        input_ids=src, attention_mask=mask, decoder_input_ids=tgt, output_attentions=True
    )
    with record(pair.ours) as recording:
        logits = pair.ours(src, tgt)
    torch.testing.assert_close(logits, theirs.logits, atol=1e-4, rtol=0)
    attentions = (theirs.encoder_attentions, theirs.decoder_attentions, theirs.cross_attentions)
    for kind, layers in zip(KINDS, attentions, strict=True):
        ours = recording.weights[kind]
        assert len(ours) == len(layers)
        for one, other in zip(ours, layers, strict=True):
            torch.testing.assert_close(one, other, atol=1e-5, rtol=0)
            assert one.std() > 0.03  # heads that all look everywhere would agree too easily


def test_greedy_output_is_theirs(pair: Pair, src: Tensor, hypotheses: list[Hypothesis]) -> None:
    config = pair.ours.config
    generated = pair.theirs.generate(  # pyright: ignore[reportAttributeAccessIssue]
        src,
        attention_mask=src != config.pad_id,
        num_beams=1,
        do_sample=False,
        max_new_tokens=STEPS,
    )
    theirs: list[list[int]] = generated[:, 1:].tolist()
    ours = [list(hypothesis.ids) for hypothesis in hypotheses]
    width = len(theirs[0])
    assert [ids + [config.pad_id] * (width - len(ids)) for ids in ours] == theirs
    assert len(SOURCES) == 50
    assert len(set(map(tuple, ours))) > 5
    assert {hypothesis.stop_reason for hypothesis in hypotheses} == {"eos", "max_steps"}
    for hypothesis in hypotheses:
        offered = {token for step in hypothesis.candidates for token, *_ in step}
        assert config.banned_ids == () or config.pad_id not in offered
    # They leave <unk> out and language codes in.
    plain = [[i for i in ids if i not in (1, 2, 3)] for ids in ours]
    tokenizer = pair.imported.tgt_tokenizer
    assert tokenizer is not None
    assert [tokenizer.decode(ids) for ids in plain] == pair.tokenizer.batch_decode(
        plain, skip_special_tokens=True, use_source_tokenizer=False
    )


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("opus") / "opus-mt-en-zh"
    save_marian(folder, **SHAPES["2+2 tied swish"])
    card = "---\nlicense: cc-by-4.0\n---\n# opus-mt-en-zh\n"
    (folder / "README.md").write_text(card, encoding="utf-8")
    return folder


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path / "installed"))
    return tmp_path / "installed"


def test_the_command_installs_a_model_that_is_traced_like_any_other(
    small: Path, installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import-marian", str(small)]) == 0
    assert str(installed / "opus-mt-en-zh") in capsys.readouterr().out
    assert checkpoint.available() == ["opus-mt-en-zh"]
    translator = Translator.load("opus-mt-en-zh", device="cpu")
    trace = translator.trace(f"{CODES[0]} Where is the station?", interventions=["cross.L2H4=zero"])
    assert trace.src[0] == CODES[0]
    assert trace.src[-1] == "</s>"
    assert trace.tgt_in[0] == "<pad>"
    assert "<pad>" not in trace.tgt_out
    assert trace.translation == translator.tgt_tokenizer.decode(trace.tgt_ids)
    assert translator.card["source_language"] == "en"
    assert translator.card["target_language"] == "zh"
    assert translator.translate(translator.card["examples"][0])
    with pytest.raises(HeadlightError, match="Type a sentence"):
        translator.trace(CODES[0])
    forced = translator.trace("I love you.", "我爱你。")
    assert forced.translation == "我爱你。"


@pytest.mark.usefixtures("installed")
def test_it_is_scored_like_any_other(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import_model(str(small))
    data, out = tmp_path / "dev.tsv", tmp_path / "out.txt"
    sentences = ["I love you.", "Where is the station?", "Good morning"]
    data.write_text("".join(f"{sentence}\t我爱你。\n" for sentence in sentences), encoding="utf-8")
    command = ["evaluate", "--model", "opus-mt-en-zh", "--data", str(data), "--out", str(out)]
    assert main(command) == 0
    assert "signature: nrefs:1|" in capsys.readouterr().out
    translator = Translator.load("opus-mt-en-zh")
    # One by one, not padded to a batch; and as many steps, which it needs all of.
    expected = [translator.translate(sentence) for sentence in sentences]
    assert out.read_text(encoding="utf-8").split("\n")[:-1] == expected


@pytest.mark.usefixtures("installed")
def test_a_model_of_few_positions_has_examples_that_fit(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "short"
    folder.mkdir()
    for file in small.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    edit_config(max_position_embeddings=16)(folder)
    assert main(["import-marian", str(folder)]) == 0
    translator = Translator.load("short")
    examples = translator.card["examples"]
    assert len(examples) < len(Translator.load(import_model(str(small))).card["examples"])
    for example in examples:
        assert len(translator.trace(example).src) <= 16


@pytest.mark.usefixtures("installed")
def test_its_card_names_source_and_licence(small: Path) -> None:
    text = (import_model(str(small)) / "README.md").read_text(encoding="utf-8")
    assert str(small) in text
    assert 'license: "cc-by-4.0"' in text
    assert " ".join(CODES) in text


@pytest.mark.usefixtures("installed")
def test_the_installed_weights_are_theirs_rounded_to_half(small: Path) -> None:
    exact = dict(convert.read(small).model.named_parameters())
    loaded = checkpoint.load(import_model(str(small), "another"))
    assert loaded.name == "another"
    assert loaded.model.config == convert.read(small).model.config
    for name, parameter in loaded.model.named_parameters():
        assert torch.equal(parameter, exact[name].half().float())


@pytest.mark.usefixtures("installed")
def test_separate_vocabularies_survive_the_disk(tmp_path: Path) -> None:
    save_marian(tmp_path / "separate", **SHAPES["3+2 separate relu"])
    loaded = checkpoint.load(import_model(str(tmp_path / "separate")))
    exact = convert.read(tmp_path / "separate")
    assert (loaded.tgt_tokenizer and exact.tgt_tokenizer) is not None
    for one, other in (
        (loaded.tokenizer, exact.tokenizer),
        (loaded.tgt_tokenizer, exact.tgt_tokenizer),
    ):
        assert isinstance(one, VocabularyTokenizer)
        assert isinstance(other, VocabularyTokenizer)
        assert one.vocabulary == other.vocabulary
        assert one.to_bytes() == other.to_bytes()


def edit_config(**changes: Any) -> Callable[[Path], object]:
    def edit(folder: Path) -> None:
        values = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        values = {k: v for k, v in (values | changes).items() if v is not None}
        (folder / "config.json").write_text(json.dumps(values), encoding="utf-8")

    return edit


def edit_generation(**changes: Any) -> Callable[[Path], object]:
    def edit(folder: Path) -> None:
        path = folder / "generation_config.json"
        values = json.loads(path.read_text(encoding="utf-8")) | changes
        path.write_text(json.dumps(values), encoding="utf-8")

    return edit


def edit_weights(edit: Callable[[dict[str, Tensor]], Any]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        weights = load_file(folder / "model.safetensors")
        edit(weights)
        save_file(weights, folder / "model.safetensors")

    return apply


def rename(old: str, new: str) -> Callable[[Path], object]:
    return lambda folder: (folder / old).rename(folder / new)


def remove(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).unlink()


def write(name: str, content: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(content, encoding="utf-8")


FC1, BIAS = "model.encoder.layers.1.fc1.weight", "final_logits_bias"
POSITIONS = "model.encoder.embed_positions.weight"
WRONG: list[tuple[str, Callable[[Path], object], str]] = [
    ("no config", remove("config.json"), r"config\.json: the file is missing"),
    ("other type", edit_config(model_type="t5"), r"config\.json: .* type 't5', not 'marian'"),
    ("a type that is a list", edit_config(model_type=[]), r"config\.json: .* type \[\]"),
    ("endless dropout", edit_config(dropout=10**400), r"config\.json: int too large"),
    ("no type", write("config.json", "{}"), r"config\.json: .* type None, not 'marian'"),
    ("no JSON", write("config.json", "{"), r"config\.json: not JSON"),
    ("a list", write("config.json", "[]"), r"config\.json: it must be a JSON object"),
    ("a size missing", edit_config(d_model=None), r"config\.json: it does not say d_model"),
    ("other heads", edit_config(decoder_attention_heads=2), r"\(4\) and .* \(2\) differ"),
    ("other width", edit_config(decoder_ffn_dim=64), r"\(48\) and .* \(64\) differ"),
    ("activation", edit_config(activation_function="tanh"), "'tanh'; ours are relu, gelu"),
    ("embedding norm", edit_config(normalize_embedding=True), "normalize_embedding is True"),
    (
        "two ends",
        edit_generation(eos_token_id=[0, 2]),
        r"generation_config\.json: eos_token_id is \[0, 2\]",
    ),
    ("no end", edit_generation(eos_token_id="</s>"), "eos_token_id must be of type int"),
    ("no heads", edit_config(encoder_attention_heads=0, decoder_attention_heads=0), "encoder_att"),
    ("no number", edit_config(d_model="32"), "d_model must be of type int, not '32'"),
    (
        "banned phrase",
        write("generation_config.json", '{"bad_words_ids": [[7, 8]]}'),
        r"bans the sequence \[7, 8\]",
    ),
    (
        "pickle only",
        rename("model.safetensors", "model.pkl"),
        r"model\.pkl: weights are read from .* any other pickle can run a program",
    ),
    (
        "another format's name",
        rename("model.safetensors", "pytorch_model.bin"),
        r"pytorch_model\.bin: cut or damaged, or not a file of PyTorch's weights",
    ),
    ("no weights", remove("model.safetensors"), r"model\.safetensors: the file is missing"),
    ("too many layers", edit_config(encoder_layers=10**9), "more layers than there are weights"),
    ("too long", edit_config(max_position_embeddings=10**9), "ours end at 10000"),
    ("cut weights", write("model.safetensors", "x"), "not a safetensors file"),
    ("missing", edit_weights(lambda w: w.pop(FC1)), f"the weights of {FC1} are missing"),
    (
        "unknown",
        edit_weights(lambda w: w.update(extra=torch.ones(1))),
        "no weights named extra",
    ),
    ("NaN", edit_weights(lambda w: w[BIAS][0, 3].fill_(torch.nan)), "not finite"),
    ("cut", edit_weights(lambda w: w.update({FC1: w[FC1][1:].clone()})), r"\[47, 32\].*\[48, 32\]"),
    (
        "not shared",
        edit_weights(lambda w: w.update({"lm_head.weight": w["model.shared.weight"] + 1})),
        "are one matrix, but they differ",
    ),
    (
        "learned positions",
        edit_weights(lambda w: w.update({POSITIONS: torch.randn(64, 32)})),
        "is learned",
    ),
    ("no source.spm", remove("source.spm"), "missing"),
    ("no target.spm", remove("target.spm"), r"target\.spm: the file is missing"),
    ("no vocabulary", remove("vocab.json"), r"vocab\.json: the file is missing"),
    ("broken spm", write("source.spm", "x"), r"source\.spm: not a SentencePiece model"),
    (
        "small embedding",
        edit_config(vocab_size=151),
        r"\[150, 32\], but config\.json .* \[151, 32\]",
    ),
    (
        "large vocabulary",
        edit_config(vocab_size=149),
        r"pad_token_id \(149\) lies outside the vocabulary of 149",
    ),
    ("empty vocabulary", write("vocab.json", "{}"), r"vocab\.json: the vocabulary has no <pad>"),
    ("twice", write("vocab.json", '{"a": 0, "b": 0}'), "each given once"),
    (
        "other start",
        edit_generation(decoder_start_token_id=3),
        "decoder_start_token_id is 3, which is >>cmn_Hans<< in vocab.json, not <pad> or <s>",
    ),
]


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("damage", "sentence"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_a_wrong_folder_is_refused_with_a_sentence(
    small: Path, tmp_path: Path, damage: Callable[[Path], object], sentence: str
) -> None:
    folder = tmp_path / "wrong"
    folder.mkdir()
    for file in small.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    damage(folder)
    with pytest.raises(HeadlightError, match=sentence):
        import_model(str(folder))
    assert checkpoint.available() == []


def test_sinusoids_that_a_file_holds_are_ours(small: Path, tmp_path: Path) -> None:
    for file in small.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    theirs = MarianMTModel.from_pretrained(small).model.encoder.embed_positions.weight
    edit_weights(lambda weights: weights.update({POSITIONS: theirs.detach().half()}))(tmp_path)
    model = convert.read(tmp_path).model
    assert isinstance(model, Transformer)
    torch.testing.assert_close(model.encoder.embedding.position.encoding, theirs, atol=1e-6, rtol=0)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("nowhere", "nowhere is neither a folder nor a name on the Hugging Face Hub"),
        ("Helsinki-NLP/opus-mt-en-zh", "the Hugging Face Hub did not give"),
    ],
)
def test_what_cannot_be_found_is_said(
    source: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import-marian", source]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    with pytest.raises(HeadlightError, match=sentence):
        import_model(source)


@pytest.mark.usefixtures("installed")
def test_nothing_is_overwritten(small: Path) -> None:
    folder = import_model(str(small), "en-zh")
    before = (folder / "config.json").read_bytes()
    with pytest.raises(HeadlightError, match="there already is a model"):
        import_model(str(small), "en-zh")
    with pytest.raises(HeadlightError, match="cannot be called"):
        import_model(str(small), "../elsewhere")
    assert (folder / "config.json").read_bytes() == before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="arguments are Unicode there")
def test_a_folder_is_imported_and_told_of_in_the_locale_c(small: Path, installed: Path) -> None:
    folder = shutil.copytree(small, small.parent / "模型")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "transformer", "import-marian", os.fsencode(folder), "plain"]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **plain})
    card = (installed / "plain" / "README.md").read_text(encoding="utf-8")
    assert f"imported from {folder};" in card


@pytest.mark.skipif(sys.platform != "linux", reason="every name is text there")
@pytest.mark.usefixtures("installed")
def test_a_folder_whose_name_is_no_text_is_refused(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shutil.copytree(small, tmp_path / os.fsdecode(b"caf\xe9"))  # Latin-1, of an old disk
    for name in ([], ["cafe"]):
        assert main(["import-marian", str(folder), *name]) == 2
        assert capsys.readouterr().err.count("\n") == 1
