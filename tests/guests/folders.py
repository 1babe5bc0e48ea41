"""Folders of guests with random weights and real tokenizers, one of each form."""

import json
import re
from pathlib import Path
from typing import Any

import transformers
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from tests.guests.families import GROUPED, SIZES, T5, tiny
from tests.tiny import SENTENCES

TEXTS = [
    *(it for it in SENTENCES if it.isascii()),
    *("The keys to the cabinet are on the table.", "Once upon a time, there was a small house."),
    *("The bank of the river was muddy.", "She put the money in the bank.", "We read it again."),
]
CHAT = (
    "{% for turn in messages %}<|{{ turn.role }}|>{{ turn.content }}<|end|>{% endfor %}"
    "<|assistant|>"
)


def bytes_of_pairs() -> Any:
    """A byte-level BPE tokenizer, as GPT-2's, with a chat template."""
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|user|>", "<|assistant|>", "<|end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=420, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    backend.train_from_iterator(TEXTS, trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend,
        eos_token=special[0],
        bos_token=special[0],
        additional_special_tokens=special[1:],
        chat_template=CHAT,
    )


def word_pieces() -> Any:
    """A WordPiece tokenizer without capitals, as BERT's."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    # Not trained: a trainer breaks ties between pieces by chance.
    words = sorted({it for text in TEXTS for it in re.findall(r"\w+|[^\w\s]", text.lower())})
    signs = sorted(set("".join(words)))
    pieces = dict.fromkeys([*special, *signs, *(f"##{it}" for it in signs), *words])
    vocabulary = {piece: at for at, piece in enumerate(pieces)}
    backend = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=True)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    names = ["pad", "unk", "cls", "sep", "mask"]
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend,
        **{f"{name}_token": token for name, token in zip(names, special, strict=True)},
    )


def pieces_of_sentences() -> Any:
    """A SentencePiece tokenizer (Unigram, ▁ begins a word), as T5's."""
    backend = Tokenizer(models.Unigram())
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    special = ["<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(
        vocab_size=160, special_tokens=special, unk_token="<unk>", show_progress=False
    )
    backend.train_from_iterator(TEXTS, trainer)
    # The trainer leaves pieces in an order of chance.
    learnt: list[tuple[str, float]] = json.loads(backend.to_str())["model"]["vocab"]
    own = sorted((piece, score) for piece, score in learnt if piece not in special)
    backend.model = models.Unigram([*((it, 0.0) for it in special), *own], unk_id=2)
    backend.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )


def save(folder: Path, model: Any, tokenizer: Any) -> Path:
    """Writes both as their makers would; returns the folder."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def decoder(folder: Path) -> Path:
    """A GPT-2 of two layers of four heads."""
    own = bytes_of_pairs()
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 128}
    ends = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": None}
    return save(folder, tiny("gpt2", vocab_size=len(own), **sizes, **ends), own)


def grouped_decoder(folder: Path) -> Path:
    """A Qwen3 whose keys and values have half as many heads, and whose template chats."""
    own = bytes_of_pairs()
    ends = {"bos_token_id": 0, "eos_token_id": 3, "pad_token_id": 0}
    return save(folder, tiny("qwen3", vocab_size=len(own), **GROUPED, **ends), own)


def encoder(folder: Path) -> Path:
    """A BERT of two layers of four heads, which guesses hidden words."""
    own = word_pieces()
    return save(folder, tiny("bert", vocab_size=len(own), **SIZES, pad_token_id=0), own)


def pair(folder: Path) -> Path:
    """A T5 that is told by a prefix what to do."""
    own = pieces_of_sentences()
    tasks = {"translation_en_to_de": {"prefix": "translate English to German: "}}
    ends = {"eos_token_id": 1, "pad_token_id": 0, "bos_token_id": None}
    model = tiny("t5", vocab_size=len(own), **T5, **ends, task_specific_params=tasks)
    return save(folder, model, own)


FORMS = {"decoder": decoder, "chat": grouped_decoder, "encoder": encoder, "pair": pair}
