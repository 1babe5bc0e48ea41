"""What the zoos' bugs are called in the table of codes, and the batch that all are checked on."""

import torch
from torch import Tensor

# Variants of a bug; every other bug of the zoos bears the name of its code.
VARIANTS = {
    "causal_own_hidden": "causal_off_by_one",
    "padding_inverted": "mask_inverted",
    "additive_through_equals_zero": "mask_inverted",
    "mask_inverted_keeps_diagonal": "mask_inverted",
    "cross_padding_attended": "padding_attended",
    "cross_mask_axis": "cross_mask_wrong",
    "mask_value_five": "mask_value_too_small",
    "mask_times_scores": "mask_value_too_small",
    "mask_zero": "mask_value_too_small",
    "float_mask_added": "mask_value_too_small",
    "softmax_heads": "softmax_axis",
    "softmax_batch": "softmax_axis",
    "heads_mixed_out": "heads_mixed",
    "heads_mixed_both": "heads_mixed",
    "scale_d_model": "scale_wrong",
    "batch_attention": "batch_leak",
    "no_positions_tgt": "no_positions",
    "equal_copies": "shared_layers",
    "cross_values_from_target": "cross_reads_target",
    "memory_not_passed": "memory_ignored",
    "source_not_memory": "memory_ignored",
    "residual_missing_ffn": "residual_missing",
    "norm_missing_final": "norm_missing",
    "norm_missing_ffn": "norm_missing",
}


def layers(code: str) -> int:
    """One layer shows any bug but that of layers that are alike."""
    return 2 if code == "shared_layers" else 1


def batch() -> tuple[Tensor, Tensor]:
    """Source and target, both padded; the target starts with token 1."""
    generator = torch.Generator().manual_seed(0)
    src = torch.randint(3, 23, (4, 9), generator=generator)
    tgt = torch.randint(3, 23, (4, 8), generator=generator)
    src[0, 7:], src[1, 8:], tgt[0, 6:] = 0, 0, 0
    tgt[:, 0] = 1
    return src, tgt
