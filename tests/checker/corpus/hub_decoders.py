"""Language models of a library, from configurations, with random weights."""

# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportAttributeAccessIssue=false
import transformers

KIND = "decoder"
SIZES = {"vocab_size": 23, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "attn_implementation": "eager"}
LLAMA = {
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 32,
}
OPTIONS = {
    " Llama": {"name": "Llama", **LLAMA},
    " Mistral": {"name": "Mistral", **LLAMA, "head_dim": 4},
    " Qwen2": {"name": "Qwen2", **LLAMA},
    " GPTNeoX": {"name": "GPTNeoX", **LLAMA},
    " Bloom": {"name": "Bloom", "hidden_size": 16, "n_layer": 2, "n_head": 4},
    " GPTJ": {"name": "GPTJ", "n_embd": 16, "n_layer": 2, "n_head": 4, "n_positions": 32, "rotary_dim": 4},
    " OPT": {
        "name": "OPT",
        "hidden_size": 16,
        "ffn_dim": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "word_embed_proj_dim": 16,
        "max_position_embeddings": 32,
    },
}


def call(model, ids):
    return model(input_ids=ids, use_cache=False).logits


def loss(model, ids):
    return model(input_ids=ids, labels=ids.masked_fill(ids == 0, -100), use_cache=False).loss


def build(name, **sizes):
    sizes_of_kind = {key: value for key, value in sizes.items() if not (name == "GPTNeoX" and key == "num_key_value_heads")}
    config = getattr(transformers, f"{name}Config")(**SIZES, **sizes_of_kind)
    return getattr(transformers, "OPTForCausalLM" if name == "OPT" else f"{name}ForCausalLM")(config)
