"""Architectures of transformers, tiny and with random weights, from configurations alone."""

import inspect
import warnings
from collections.abc import Callable
from typing import Any, cast

import torch
import transformers
from torch import nn
from transformers.models.auto import modeling_auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from transformer import check
from transformer.checker import Report

DECODERS = (
    *("afmoe", "apertus", "arcee", "aria_text", "bart", "bert", "bert-generation", "big_bird"),
    *("bigbird_pegasus", "biogpt", "bitnet", "blenderbot", "blenderbot-small", "bloom"),
    *("camembert", "codegen", "cohere", "cohere2", "ctrl", "data2vec-text", "deepseek_v2"),
    *("deepseek_v3", "diffllama", "doge", "dots1", "electra", "ernie", "ernie4_5"),
    *("ernie4_5_moe", "exaone4", "falcon", "flex_olmo", "gemma", "gemma2", "gemma3_text", "glm"),
    *("glm4", "glm4_moe", "gpt2", "gpt_bigcode", "gpt_neox", "gpt_neox_japanese", "gpt_oss"),
    *("gptj", "granite", "granitemoe", "helium", "hunyuan_v1_dense", "internlm3", "jais2"),
    *("jetmoe", "lfm2", "llama", "llama4_text", "marian", "mbart", "megatron-bert", "minimax_m2"),
    *("ministral", "mistral", "mixtral", "modernbert-decoder", "mpt", "mvp", "nanochat"),
    *("nemotron", "olmo", "olmo2", "olmo3", "olmoe", "openai-gpt", "opt", "pegasus", "persimmon"),
    *("phi", "phi3", "phimoe", "plbart", "qwen2", "qwen2_moe", "qwen3", "qwen3_moe", "rembert"),
    *("roberta", "roberta-prelayernorm", "roformer", "seed_oss", "smollm3", "stablelm"),
    *("beam", "cohere2_moe", "cwm", "exaone_moe", "gpt-sw3", "granite_swa", "granitemoe_swa"),
    *("granitemoeshared", "hrm_text", "hunyuan_v1_moe", "hy_v3", "hy_v4", "hyperclovax"),
    *("inkling2_text", "inkling_text", "iquestcoder", "kolibri1", "laguna", "mellum"),
    *("mimo_v2_flash", "minimax_m3_vl_text", "ministral3", "moshi", "olmo_hybrid"),
    *("axk1", "axk2", "deepseek_v32", "gemma4_text", "glm4_moe_lite", "glm_moe_dsa", "minicpm3"),
    *("roc_bert", "solar_open", "youtu"),
    *("starcoder2", "trocr", "vaultgemma", "whisper", "xglm", "xlm-roberta", "xlm-roberta-xl"),
)
PAIRS = (
    *(
        "bart",
        "bigbird_pegasus",
        "blenderbot",
        "blenderbot-small",
        "fsmt",
        "led",
        "longt5",
        "m2m_100",
    ),
    *("marian", "mbart", "mt5", "mvp", "nllb-moe", "pegasus", "plbart", "seamless_m4t"),
    *("switch_transformers", "t5", "umt5"),
)
ENCODERS = (
    *("bert", "big_bird", "camembert", "data2vec-text", "deberta", "deberta-v2", "distilbert"),
    *("electra", "ernie", "esm", "ibert", "layoutlm", "longformer", "megatron-bert"),
    *("modernbert", "rembert", "roberta", "roberta-prelayernorm", "roformer", "tapas"),
    *("xlm-roberta", "xlm-roberta-xl", "eurobert", "flaubert", "funnel", "gte"),
    *("jina_embeddings_v3", "luke", "nomic_bert", "roc_bert", "ultrabert"),
)
VOCAB = 40
WIDE, MANY, DEEP, LONG = 32, 4, 2, 64
SIZES: dict[str, Any] = {
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "dim", "word_embed_proj_dim"), WIDE),
    **dict.fromkeys(("num_attention_heads", "n_head", "n_heads", "num_heads"), MANY),
    **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), MANY),
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts"), MANY),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers", "num_layers"), DEEP),
    **dict.fromkeys(("encoder_layers", "decoder_layers", "num_decoder_layers"), DEEP),
    **dict.fromkeys(("intermediate_size", "ffn_dim", "d_ff", "hidden_dim", "n_positions"), LONG),
    **dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim", "max_seq_len", "n_ctx"), LONG),
    **dict.fromkeys(("moe_intermediate_size", "shared_expert_intermediate_size"), WIDE),
    **dict.fromkeys(("head_dim", "d_kv", "v_head_dim", "relative_attention_num_buckets"), 8),
    **dict.fromkeys(("qk_rope_head_dim", "qk_nope_head_dim", "rotary_dim"), 4),
    **dict.fromkeys(("q_lora_rank", "kv_lora_rank", "embedding_size", "sliding_window"), 16),
    **dict.fromkeys(("n_group", "topk_group", "first_k_dense_replace", "n_shared_experts"), 1),
    **dict.fromkeys(("num_key_value_heads", "num_experts_per_tok", "eos_token_id"), 2),
    **dict.fromkeys(("pad_token_id", "decoder_start_token_id"), 0),
    "attention_multiplier": 8**-0.5,
    "attention_window": [4, 4],
    "bos_token_id": 1,
    "is_decoder": True,
    "max_position_embeddings": LONG,
    "vocab_size": VOCAB,
}
# Latent attention shares no keys, and `head_dim` is the width of the part that is turned.
LATENT = (
    "axk1",
    "axk2",
    "deepseek_v2",
    "deepseek_v3",
    "deepseek_v32",
    "glm4_moe_lite",
    "glm_moe_dsa",
)
OWN: dict[str, dict[str, Any]] = {
    **{
        name: {"num_key_value_heads": MANY, "head_dim": 4}
        for name in (*LATENT, "minicpm3", "youtu")
    },
    "fsmt": {"langs": ["en", "de"], "src_vocab_size": VOCAB, "tgt_vocab_size": VOCAB},
    "gpt_bigcode": {"num_key_value_heads": 1},
}
STARTS = {"fsmt": 2}  # it hides padding in the decoder, too, so no target may begin with it
AUTO = cast(Any, modeling_auto)
CLASSES: dict[str, dict[str, Any]] = {
    "decoder": AUTO.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    "pair": AUTO.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
    "encoder": AUTO.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
}
ALL = [
    (form, name)
    for form, names in (("decoder", DECODERS), ("pair", PAIRS), ("encoder", ENCODERS))
    for name in names
    if name in CONFIG_MAPPING and name in CLASSES[form]
]
"""What this version of transformers has of them."""


def build(form: str, name: str) -> nn.Module:
    """One of ALL, in `eval()`."""
    kind = CONFIG_MAPPING[name]
    parameters = set(inspect.signature(kind.__init__).parameters)
    parameters = parameters.union(*(getattr(each, "__annotations__", {}) for each in kind.__mro__))
    aliases = cast(dict[str, str], getattr(kind, "attribute_map", {}))
    sizes = {**SIZES, **OWN.get(name, {})}
    chosen = {
        key: value for key, value in sizes.items() if key in parameters or key == "pad_token_id"
    }
    chosen = {key: value for key, value in chosen.items() if aliases.get(key) not in chosen}
    if form != "decoder":
        chosen.pop("is_decoder", None)
    torch.manual_seed(0)
    config = cast(Any, kind)(**chosen, attn_implementation="eager")
    return getattr(transformers, CLASSES[form][name])(config).eval()


def examine(form: str, name: str) -> Report:
    """What the checker says of one."""
    model = build(form, name)
    generator = torch.Generator().manual_seed(0)
    src = torch.randint(3, VOCAB, (4, 9), generator=generator)
    tgt = torch.randint(3, VOCAB, (4, 8), generator=generator)
    src[0, 7:], src[1, 8:], tgt[:, 0] = 0, 0, STARTS.get(name, 0)
    calls: dict[str, Callable[..., Any]] = {
        "decoder": lambda module, ids: module(input_ids=ids, use_cache=False).logits,
        "encoder": lambda module, ids: module(ids, attention_mask=(ids != 0).long()).logits,
        "pair": lambda module, src, tgt: (
            module(
                input_ids=src,
                attention_mask=(src != 0).long(),
                decoder_input_ids=tgt,
                use_cache=False,
            ).logits
        ),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if form == "pair":
            return check(model, src, tgt, call=calls[form], seconds=600)
        ids = src if form == "encoder" else src.clamp_min(3)
        return check(model, ids, kind=form, call=calls[form], seconds=600)  # type: ignore[arg-type]
