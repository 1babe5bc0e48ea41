"""Encoder-decoders of a library, from configurations, with random weights."""

# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportAttributeAccessIssue=false
import transformers

KIND = "encoder-decoder"
BART = {
    "d_model": 16,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "max_position_embeddings": 32,
}
SIZES = {"vocab_size": 23, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "decoder_start_token_id": 1}
OPTIONS = {
    " Bart": {"name": "Bart", "forced_eos_token_id": 2, **BART},
    " MBart": {"name": "MBart", "forced_eos_token_id": 2, **BART},
    " T5": {"name": "T5", "d_model": 16, "d_kv": 4, "d_ff": 32, "num_layers": 2, "num_heads": 4},
}


def call(model, src, tgt):
    return model(input_ids=src, attention_mask=(src != 0).long(), decoder_input_ids=tgt, use_cache=False).logits


def loss(model, src, tgt):
    asked = tgt[:, 1:].masked_fill(tgt[:, 1:] == 0, -100)
    mask = (src != 0).long()
    return model(input_ids=src, attention_mask=mask, decoder_input_ids=tgt[:, :-1].contiguous(), labels=asked).loss


def build(name, **sizes):
    config = getattr(transformers, f"{name}Config")(**SIZES, **sizes, attn_implementation="eager")
    return getattr(transformers, f"{name}ForConditionalGeneration")(config)
