"""Our own models, written as transformers' Marian, with our own tokenizers."""

from typing import Any

import torch
from torch import nn
from transformers import MarianConfig, MarianForCausalLM, MarianMTModel

from transformer import Translator
from transformer.checkpoint.marian.names import NAMES


class OurTokenizer:
    """What a guest asks of a tokenizer, answered by one of ours."""

    is_fast = False

    def __init__(self, translator: Translator) -> None:
        self._ours = translator.tokenizer
        self._config = translator.config
        self._tgt = translator.tgt_tokenizer
        self.all_special_ids = [self._config.pad_id, self._config.bos_id, self._config.eos_id]

    def __call__(self, text: str) -> dict[str, list[int]]:
        ids = self._ours.encode(text)
        whole = [self._config.bos_id, *ids] if self._config.decoder_only else None
        return {"input_ids": whole or [*ids, self._config.eos_id]}

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return [*self._tgt.pieces(ids)]

    def get_vocab(self) -> dict[str, int]:
        size = self._config.src_vocab_size or self._config.tgt_vocab_size
        return {self._ours.piece(number): number for number in range(size)}

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        assert skip_special_tokens
        return self._tgt.decode(ids)


def as_marian(translator: Translator) -> Any:
    """A model of transformers with the weights of one of ours."""
    ours = translator.config
    sizes: dict[str, Any] = {
        "vocab_size": ours.src_vocab_size or ours.tgt_vocab_size,
        "decoder_vocab_size": ours.tgt_vocab_size,
        "d_model": ours.d_model,
        "encoder_layers": ours.num_encoder_layers,
        "decoder_layers": ours.num_decoder_layers,
        **{f"{side}_attention_heads": ours.num_heads for side in ("encoder", "decoder")},
        **{f"{side}_ffn_dim": ours.d_ff for side in ("encoder", "decoder")},
        "max_position_embeddings": ours.max_length,
        "activation_function": ours.activation,
        "scale_embedding": ours.scale_embeddings,
        "pad_token_id": ours.pad_id,
        "bos_token_id": ours.bos_id,
        "eos_token_id": ours.eos_id,
        "decoder_start_token_id": ours.bos_id,
        "forced_eos_token_id": None,
        "share_encoder_decoder_embeddings": False,
        "tie_word_embeddings": False,
    }
    kind: Any = MarianForCausalLM if ours.decoder_only else MarianMTModel
    model: Any = kind(MarianConfig(**sizes)).eval()
    weights = {name: it.float() for name, it in translator.model.state_dict().items()}
    placed: dict[str, Any] = {}
    for name, value in weights.items():
        tower, _, rest = name.partition(".")
        if rest == "embedding.token.weight":
            placed[f"model.{tower}.embed_tokens.weight"] = value
        elif rest == "output.weight":
            placed["lm_head.weight"] = value
        elif rest == "output.bias":
            placed["lm_head.bias" if ours.decoder_only else "final_logits_bias"] = (
                value if ours.decoder_only else value[None]
            )
        else:
            mine = next(it for it in NAMES if it in name)
            theirs = NAMES[mine]
            for part, chunk in zip(theirs, value.chunk(len(theirs)), strict=True):
                placed[f"model.{name.replace(mine, part)}"] = chunk
    if ours.decoder_only:
        model.lm_head = nn.Linear(ours.d_model, ours.tgt_vocab_size)
    missing, unexpected = model.load_state_dict(placed, strict=False)
    assert not unexpected
    # A decoder alone has weights for a cross-attention that nobody asks for.
    unused_names = ("embed_positions", "shared", *(["encoder_attn"] if ours.decoder_only else []))
    assert all(any(it in name for it in unused_names) for name in missing)
    with torch.no_grad():
        for name, tower in translator.model.towers().items():
            getattr(model.model, name).embed_positions.weight.copy_(
                tower.embedding.position.encoding
            )
    model.generation_config.suppress_tokens = list(ours.banned_ids)
    return model
