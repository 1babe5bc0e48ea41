"""Random Marian models, saved as OPUS-MT's are."""

import io
import json
from pathlib import Path
from typing import Any

import sentencepiece as spm
import torch
from transformers import MarianConfig, MarianMTModel, MarianTokenizer

from tests.tiny import SENTENCES

ENGLISH, CHINESE = SENTENCES[:10], SENTENCES[10:]
CODES = [">>fra<<", ">>cmn_Hans<<"]


def train_spm(sentences: list[str], size: int) -> bytes:
    """As OPUS-MT's are: SentencePiece's own defaults, no padding token."""
    model = io.BytesIO()
    spm.SentencePieceTrainer.Train(
        sentence_iterator=iter(sentences), model_writer=model, vocab_size=size, minloglevel=2
    )
    return model.getvalue()


def pieces_of(model: bytes) -> list[str]:
    processor = spm.SentencePieceProcessor()
    processor.LoadFromSerializedProto(model)
    return [processor.IdToPiece(i) for i in range(3, processor.GetPieceSize())]


def number(pieces: list[str], size: int) -> dict[str, int]:
    """A vocabulary in Marian's order: </s>, <unk>, the rest, and last the padding token."""
    ordered = list(dict.fromkeys(["</s>", "<unk>", *CODES, *pieces]))
    ordered += [f"piece{i}" for i in range(size - 1 - len(ordered))]
    return {piece: i for i, piece in enumerate([*ordered, "<pad>"])}


SMALL = {"d_model": 32, "heads": 4, "d_ff": 48, "size": 150}
FREE = {"shared": False, "tied": False, "scale": False, "ban": False}
OPUS = {"d_model": 512, "heads": 8, "d_ff": 2048, "size": 58_101}
SHAPES: dict[str, dict[str, Any]] = {
    "2+2 tied swish": {**SMALL, "layers": (2, 2), "activation": "swish"},
    "3+2 separate relu": {**SMALL, "layers": (3, 2), "activation": "relu", "shared": False},
    "6+4 untied gelu": {**SMALL, **FREE, "layers": (6, 4), "activation": "gelu"},
    "2+6 output free": {**SMALL, "layers": (2, 6), "activation": "silu", "tied": False},
    "OPUS-MT's size": {**OPUS, "layers": (6, 6), "activation": "swish"},
}

LAYERS: dict[str, Any] = {
    **SMALL,
    "d_model": 64,
    "heads": 8,
    "layers": (6, 6),
    "activation": "swish",
}
"""As many layers and heads as OPUS-MT's models have, of little width."""


# Heads look somewhere, and what they see makes a difference.
GAINS = {"q_proj": 1.7, "k_proj": 1.7, "v_proj": 2, "out_proj": 2}


def save_marian(
    folder: Path,
    layers: tuple[int, int],
    d_model: int,
    heads: int,
    d_ff: int,
    size: int,
    activation: str,
    shared: bool = True,
    tied: bool = True,
    scale: bool = True,
    ban: bool = True,
) -> tuple[MarianMTModel, MarianTokenizer]:
    """A random Marian model whose every weight matters, and a tokenizer, saved."""
    pad = size - 1
    config = MarianConfig(
        vocab_size=size,
        decoder_vocab_size=size,
        d_model=d_model,
        encoder_layers=layers[0],
        decoder_layers=layers[1],
        encoder_ffn_dim=d_ff,
        decoder_ffn_dim=d_ff,
        encoder_attention_heads=heads,
        decoder_attention_heads=heads,
        max_position_embeddings=64,
        activation_function=activation,
        scale_embedding=scale,
        pad_token_id=pad,
        decoder_start_token_id=pad,
        eos_token_id=0,
        forced_eos_token_id=None,
        share_encoder_decoder_embeddings=shared,
        tie_word_embeddings=tied,
        attn_implementation="eager",  # pyright: ignore[reportCallIssue]
    )
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        model = MarianMTModel(config).eval()
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter += 0.2 * torch.randn_like(parameter)
            elif "embed_tokens" in name or "shared" in name or "lm_head" in name:
                # Large enough for each token to matter: decoding does not just repeat one.
                parameter.normal_(std=3 * d_model**-0.5)
            elif "embed_positions" not in name:
                torch.nn.init.xavier_uniform_(parameter, gain=GAINS.get(name.split(".")[-2], 1))
        bias = model.final_logits_bias
        bias.normal_(std=0.5)
        start = torch.full((20, 1), pad)
        logits = model(torch.randint(2, pad, (20, 8)), decoder_input_ids=start).logits[:, 0]
        # Some sentences end, some do not; and without the ban, padding would always win.
        bias[0, 0] += (logits[:, 1:pad].amax(-1) - logits[:, 0]).quantile(0.2)
        bias[0, pad] = 50 if ban else -50
    assert model.generation_config is not None
    model.generation_config.bad_words_ids = [[pad]] if ban else None
    model.save_pretrained(folder)

    folder.mkdir(exist_ok=True)
    files = {"source.spm": train_spm(ENGLISH, 70), "target.spm": train_spm(CHINESE, 60)}
    src, tgt = (pieces_of(model) for model in files.values())
    vocabularies = {"vocab.json": number([*src, *tgt] if shared else src, size)}
    if not shared:
        vocabularies["target_vocab.json"] = number(tgt[::-1], size)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    for name, vocabulary in vocabularies.items():
        (folder / name).write_text(json.dumps(vocabulary), encoding="utf-8")
    tokenizer = MarianTokenizer(
        str(folder / "source.spm"),
        str(folder / "target.spm"),
        str(folder / "vocab.json"),
        None if shared else str(folder / "target_vocab.json"),
        source_lang="eng",
        target_lang="zho",
        separate_vocabs=not shared,
    )
    tokenizer.save_pretrained(folder)
    return model, tokenizer
