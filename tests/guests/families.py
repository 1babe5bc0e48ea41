"""Tiny models of Hugging Face's families, with random weights, and a tokenizer for all of them."""

from collections.abc import Callable
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors

VOCAB = 60
ENDS: dict[str, Any] = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 128,
}
GROUPED: dict[str, Any] = {**SIZES, "num_key_value_heads": 2, "head_dim": 8}
D_MODEL: dict[str, Any] = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
    "max_position_embeddings": 128,
    "decoder_start_token_id": 2,
    "forced_eos_token_id": 2,
}
T5: dict[str, Any] = {
    "d_model": 32,
    "d_kv": 8,
    "d_ff": 32,
    "num_layers": 2,
    "num_heads": 4,
    "decoder_start_token_id": 0,
}
EXPERTS: dict[str, Any] = {"num_local_experts": 2, "num_experts_per_tok": 1}

Family = tuple[str, dict[str, Any]]
"""The name of a class, and of its configuration's fields those that make it tiny."""

DECODERS: dict[str, Family] = {
    "gpt2": ("GPT2LMHeadModel", {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 128}),
    "llama": ("LlamaForCausalLM", GROUPED),
    "mistral": ("MistralForCausalLM", {**GROUPED, "sliding_window": 5}),
    "qwen2": ("Qwen2ForCausalLM", SIZES | {"num_key_value_heads": 2}),
    "qwen3": ("Qwen3ForCausalLM", GROUPED),
    "gemma": ("GemmaForCausalLM", GROUPED),
    "gemma2": ("Gemma2ForCausalLM", {**GROUPED, "sliding_window": 5}),
    "gemma3": ("Gemma3ForCausalLM", {**GROUPED, "sliding_window": 5}),
    "gpt_oss": ("GptOssForCausalLM", {**GROUPED, **EXPERTS, "sliding_window": 5}),
    "mixtral": ("MixtralForCausalLM", {**GROUPED, **EXPERTS}),
    "phi3": ("Phi3ForCausalLM", SIZES | {"num_key_value_heads": 2}),
    "gpt_neox": ("GPTNeoXForCausalLM", SIZES),
    "opt": ("OPTForCausalLM", {**SIZES, "ffn_dim": 32, "word_embed_proj_dim": 32}),
    "olmo2": ("Olmo2ForCausalLM", GROUPED),
    "granite": ("GraniteForCausalLM", GROUPED),
}
OUTSIDE: dict[str, Family] = {
    "bloom": ("BloomForCausalLM", {"hidden_size": 32, "n_layer": 2, "n_head": 4}),
    "gpt_neo": (
        "GPTNeoForCausalLM",
        {
            "hidden_size": 32,
            "num_layers": 2,
            "num_heads": 4,
            "attention_types": [[["global", "local"], 1]],
            "window_size": 5,
            "max_position_embeddings": 128,
        },
    ),
    "gptj": (
        "GPTJForCausalLM",
        {"n_embd": 32, "n_layer": 2, "n_head": 4, "rotary_dim": 4, "n_positions": 128},
    ),
    "mpt": ("MptForCausalLM", {"d_model": 32, "n_heads": 4, "n_layers": 2, "max_seq_len": 128}),
    "ctrl": ("CTRLLMHeadModel", {"n_embd": 32, "n_layer": 2, "n_head": 4, "dff": 32}),
}
ENCODERS: dict[str, Family] = {
    "bert": ("BertForMaskedLM", SIZES),
    "roberta": ("RobertaForMaskedLM", SIZES),
    "distilbert": (
        "DistilBertForMaskedLM",
        {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 32},
    ),
    "albert": ("AlbertForMaskedLM", {**SIZES, "embedding_size": 16}),
    "electra": ("ElectraForMaskedLM", {**SIZES, "embedding_size": 16}),
    "modernbert": ("ModernBertForMaskedLM", SIZES),
    "xlm_roberta": ("XLMRobertaForMaskedLM", SIZES),
    "deberta": ("DebertaForMaskedLM", SIZES),
    "deberta_v2": ("DebertaV2ForMaskedLM", SIZES),
    "xlnet": ("XLNetModel", {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 32}),
}
PAIRS: dict[str, Family] = {
    "t5": ("T5ForConditionalGeneration", T5),
    "mt5": ("MT5ForConditionalGeneration", T5),
    "bart": ("BartForConditionalGeneration", D_MODEL),
    "mbart": ("MBartForConditionalGeneration", D_MODEL),
    "marian": ("MarianMTModel", D_MODEL),
    "m2m_100": ("M2M100ForConditionalGeneration", D_MODEL),
    "pegasus": ("PegasusForConditionalGeneration", D_MODEL),
    "blenderbot": ("BlenderbotForConditionalGeneration", D_MODEL),
    "fsmt": (
        "FSMTForConditionalGeneration",
        {**D_MODEL, "langs": ["en", "de"], "src_vocab_size": VOCAB, "tgt_vocab_size": VOCAB},
    ),
}
FAMILIES = {**DECODERS, **OUTSIDE, **ENCODERS, **PAIRS}
BEHIND_PADDING: dict[str, Family] = {
    f"{name}_decoder": (f"{name}ForCausalLM", {**SIZES, "is_decoder": True})
    for name in (
        *("Roberta", "Camembert", "XLMRoberta", "XLMRobertaXL", "Data2VecText"),
        "RobertaPreLayerNorm",
    )
}
"""Decoders whose positions are counted behind their padding's; the last writes padding at once."""

EXPERT_SIZES: dict[str, Any] = {
    "n_routed_experts": 2,
    "num_experts_per_tok": 1,
    "n_group": 1,
    "topk_group": 1,
    "moe_intermediate_size": 16,
    "first_k_dense_replace": 1,
}
LATENT: dict[str, Any] = {
    "num_key_value_heads": 4,
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8,
    "v_head_dim": 8,
}
LINEAR = ["linear_attention", "full_attention"]
MIXED: dict[str, Family] = {
    "minimax": ("MiniMaxForCausalLM", {**GROUPED, **EXPERTS, "layer_types": LINEAR}),
}
"""Whose layers without a softmax return weights, too."""

UNLIKE: dict[str, Family] = {
    "deepseek_v3": ("DeepseekV3ForCausalLM", {**SIZES, **EXPERT_SIZES, **LATENT}),
    "qwen3_5": ("Qwen3_5ForCausalLM", {**GROUPED, "layer_types": LINEAR}),
    "falcon_h1": (
        "FalconH1ForCausalLM",
        {**GROUPED, "mamba_d_ssm": 64, "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 4},
    ),
    "hrm_text": ("HrmTextForCausalLM", {**SIZES, "head_dim": 8}),
    "codegen": (
        "CodeGenForCausalLM",
        {"n_embd": 32, "n_layer": 2, "n_head": 4, "rotary_dim": 4, "n_positions": 128},
    ),
}
"""Latent keys and values, layers without attention or with two mixers, a stack run through eight
times, a convolution's layout: what the table of families has no row for."""


def tiny(name: str, **more: Any) -> Any:
    """A model of a family, whose every weight matters.

    Args:
        name: of the family.
        more: fields of its configuration.
    """
    kind_name, sizes = (FAMILIES | UNLIKE | BEHIND_PADDING | MIXED)[name]
    kind: Any = getattr(transformers, kind_name)
    config = kind.config_class(**{"vocab_size": VOCAB, **ENDS, **sizes, **more})
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        model = kind(config).eval()
        for parameter in model.parameters():
            if parameter.ndim > 1:
                # Wide, so that no two tokens are alike.
                parameter.normal_(std=0.2)
    return model


def tokenizer() -> Any:
    """Words w0, w1, … with the special tokens that all families here have at the same places."""
    special = ["<pad>", "<s>", "</s>", "<unk>", "<mask>"]
    words = [*special, *(f"w{number}" for number in range(VOCAB - len(special)))]
    backend = Tokenizer(models.WordLevel({it: i for i, it in enumerate(words)}, unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    backend.post_processor = processors.TemplateProcessing(
        single="$A", pair="$A </s> $B:1", special_tokens=[("</s>", 2)]
    )
    names = ["pad", "bos", "eos", "unk", "mask"]
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend,
        **{f"{name}_token": token for name, token in zip(names, special, strict=True)},
    )


Make = Callable[[], Any]
