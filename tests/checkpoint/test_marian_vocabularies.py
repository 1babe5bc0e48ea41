"""Marian models whose vocabularies somebody changed, against Hugging Face's own reading."""

import json
from pathlib import Path

import pytest
import torch
from transformers import AddedToken, MarianMTModel, MarianTokenizer

from tests.checkpoint.marian import CODES, ENGLISH, SHAPES, number, save_marian
from transformer import CheckpointError, HeadlightError, Transformer, Translator, checkpoint
from transformer.checkpoint import Checkpoint
from transformer.checkpoint.importing import convert
from transformer.checkpoint.importing.import_model import import_model

pytestmark = [
    # Hugging Face asks for a normaliser that it then never calls.
    pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses"),
]
SMALL, SEPARATE = SHAPES["2+2 tied swish"], SHAPES["3+2 separate relu"]

TEXTS = [
    *ENGLISH[:4],
    *("I love <ent> you", "I<ent>love", "foo bar baz", "a  <wide>  b", "<ent><ent>", "xone one on"),
    *(">>deu<< I love", "I >>deu<< love", ">>fra<< I <ent>", "<ent>>>fra<< I", "one, one"),
    *(">>xyz<< I love you", ">> a << b", ">>FRA<< I", ">>fra I", ">><< I", "a >>fra<< b"),
]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path / "installed"))
    return tmp_path / "installed"


def add_tokens(model: MarianMTModel, tokenizer: MarianTokenizer, folder: Path) -> None:
    tokenizer.add_tokens(["<ent>", "foo bar"])
    wide = AddedToken("<wide>", lstrip=True, rstrip=True, special=True)
    tokenizer.add_tokens([wide, AddedToken("one", single_word=True)])
    tokenizer.add_special_tokens({"additional_special_tokens": [">>deu<<"]})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model.resize_token_embeddings(len(tokenizer))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def check_same(ours: Checkpoint, model: MarianMTModel, tokenizer: MarianTokenizer) -> None:
    """Ids, and the logits that are made of them."""
    config = ours.model.config
    assert isinstance(ours.model, Transformer)
    for text in TEXTS:
        theirs = tokenizer(text, return_tensors="pt")["input_ids"]
        ids = [*ours.tokenizer.encode(text), config.eos_id]
        assert theirs.tolist() == [ids], text
        spans = ours.tokenizer.spans(text)
        assert len(spans) == len(ids) - 1
        assert all(0 <= start <= end <= len(text) for start, end in spans)
        tgt = torch.tensor([[config.bos_id, 5, 7, 11]])
        with torch.inference_mode():
            expected = model(input_ids=theirs, decoder_input_ids=tgt).logits
            torch.testing.assert_close(ours.model(theirs, tgt), expected, atol=1e-4, rtol=0)


@pytest.mark.usefixtures("installed")
def test_added_tokens_are_found_where_hugging_face_finds_them(tmp_path: Path) -> None:
    folder = tmp_path / "added"
    model, tokenizer = save_marian(folder, **SMALL)
    add_tokens(model, tokenizer, folder)
    read = convert.read(folder)
    check_same(read, model, tokenizer)
    assert read.tokenizer.language_codes == [*CODES, ">>deu<<"]
    ids = [28, 150, 42, 151, 152]
    assert read.tgt_tokenizer is not None
    assert read.tgt_tokenizer.decode(ids) == tokenizer.decode(ids, skip_special_tokens=True)
    # As before Hugging Face wrote of them in tokenizer_config.json.
    content = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    del content["added_tokens_decoder"]
    (folder / "tokenizer_config.json").write_text(json.dumps(content), encoding="utf-8")
    assert convert.read(folder).tokenizer.encode("a<ent>b") == read.tokenizer.encode("a<ent>b")
    # And after the disk.
    (folder / "tokenizer_config.json").unlink()
    tokenizer.save_pretrained(folder)
    kept = checkpoint.load(import_model(str(folder)))
    for text in TEXTS:
        assert kept.tokenizer.encode(text) == read.tokenizer.encode(text)


def test_a_token_without_an_embedding_is_named(tmp_path: Path) -> None:
    _, tokenizer = save_marian(tmp_path, **SMALL)
    tokenizer.add_tokens(["<ent>"])
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(CheckpointError, match=r"tokenizer_config\.json: <ent> is token 150, but"):
        convert.read(tmp_path)


@pytest.mark.usefixtures("installed")
def test_embeddings_that_no_piece_has_are_kept(tmp_path: Path) -> None:
    """As after `resize_token_embeddings(160)`, which makes the number of rows a round one."""
    model, tokenizer = save_marian(tmp_path / "round", **SMALL)
    model.resize_token_embeddings(160)
    model.save_pretrained(tmp_path / "round")
    read = convert.read(tmp_path / "round")
    check_same(read, model, tokenizer)
    assert read.tokenizer.pieces([155]) == ["<unnamed 155>"]
    assert 155 not in read.tokenizer.encode("<unnamed 155>")
    translator = Translator.load(import_model(str(tmp_path / "round")))
    assert translator.trace("I love you.", prefix=[155]).tgt_out[0] == "<unnamed 155>"


def test_a_source_that_learnt_more_tokens_than_the_target(tmp_path: Path) -> None:
    model, tokenizer = save_marian(tmp_path, **SEPARATE)
    add_tokens(model, tokenizer, tmp_path)
    read = convert.read(tmp_path)
    assert (read.model.config.src_vocab_size, read.model.config.tgt_vocab_size) == (155, 150)
    check_same(read, model, tokenizer)


def test_two_vocabularies_that_number_padding_otherwise(tmp_path: Path) -> None:
    """Each ends in its padding token, and they are of unequal size: the pictures are theirs."""
    model, tokenizer = save_marian(tmp_path, **SEPARATE)
    model.resize_decoder_token_embeddings(140)
    model.config.pad_token_id = model.config.decoder_start_token_id = 139
    assert model.generation_config is not None
    model.generation_config.bad_words_ids = [[139]]
    model.generation_config.pad_token_id = model.generation_config.decoder_start_token_id = 139
    model.save_pretrained(tmp_path)
    target = json.loads((tmp_path / "target_vocab.json").read_text(encoding="utf-8"))
    pieces = [piece for piece, i in target.items() if 3 < i < 139]
    (tmp_path / "target_vocab.json").write_text(json.dumps(number(pieces, 140)), encoding="utf-8")
    read = convert.read(tmp_path)
    assert isinstance(read.model, Transformer)
    batch = tokenizer(ENGLISH[:2], return_tensors="pt", padding=True)
    pad = read.model.config.pad_id
    ours = [[*read.tokenizer.encode(text), 0] for text in ENGLISH[:2]]
    width = max(map(len, ours))
    src = torch.tensor([ids + [pad] * (width - len(ids)) for ids in ours])
    assert (batch["input_ids"] == 149).any()
    tgt = torch.tensor([[139, 5, 7]] * 2)
    with torch.inference_mode():
        theirs = model(**batch, decoder_input_ids=tgt).logits
        torch.testing.assert_close(read.model(src, tgt), theirs, atol=1e-4, rtol=0)
    # A piece that stood where the target has its padding is no padding.
    source = json.loads((tmp_path / "vocab.json").read_text(encoding="utf-8"))
    assert source[read.tokenizer.pieces([149])[0]] == 139


def test_shards_are_read_by_their_index(tmp_path: Path) -> None:
    whole, shards = tmp_path / "whole", tmp_path / "shards"
    model, tokenizer = save_marian(whole, **SMALL)
    model.save_pretrained(shards, max_shard_size="30KB")
    tokenizer.save_pretrained(shards)
    assert len(list(shards.glob("model-*.safetensors"))) > 2
    expected = dict(convert.read(whole).model.named_parameters())
    for name, parameter in convert.read(shards).model.named_parameters():
        assert torch.equal(parameter, expected[name]), name
    last = max(shards.glob("model-*.safetensors"))
    last.unlink()
    with pytest.raises(CheckpointError, match=last.name):
        convert.read(shards)


@pytest.mark.usefixtures("installed")
def test_a_language_that_a_model_does_not_know_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_marian(tmp_path / "codes", **SMALL)
    translator = Translator.load(import_model(str(tmp_path / "codes")))
    with pytest.raises(HeadlightError, match="This model knows >>fra<<, >>cmn_Hans<<; not >>xyz<<"):
        translator.trace(">>xyz<< I love you.")
    with pytest.raises(HeadlightError, match="not >>FRA<<"):
        translator.translate(" >>FRA<< I love you.")
    from transformer.__main__ import main

    assert main(["trace", "--model", "codes", "I love you."]) == 0
    assert "begin it with >>fra<<, >>cmn_Hans<<, such as" in capsys.readouterr().err
    assert main(["trace", "--model", "codes", ">>fra<< I love you."]) == 0
    assert capsys.readouterr().err == ""
