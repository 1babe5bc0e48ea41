"""Models small enough to run hundreds of times, whose every parameter matters."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from transformer import Tokenizer, TransformerConfig, build_model
from transformer.checkpoint import Checkpoint
from transformer.model.towers import Model
from transformer.trace.kinds import KINDS
from transformer.trace.trace import AttentionTrace

PAD, BOS, EOS = 0, 1, 2

SENTENCES = [
    *("I love you.", "Where is the station?", "He said, “Yes!” and left.", "Don't be late."),
    *("The cat sleeps on the warm bed.", "We walked along the river (slowly).", "What a day!"),
    *("She reads a book every evening.", "My brother lives in Beijing; I don't.", "Good morning"),
    *("我爱你。", "车站在哪里？", "他说：“是的！”然后走了。", "别迟到。", "猫睡在温暖的床上。"),
    *(
        "我们沿着河边（慢慢地）走。",
        "多好的一天！",
        "她每天晚上看书。",
        "我哥哥住在北京；我不。",
        "早上好",
    ),
]


def tiny_config(**changes: Any) -> TransformerConfig:
    values: dict[str, Any] = {"src_vocab_size": 29, "tgt_vocab_size": 31}
    values |= {"d_model": 16, "num_heads": 4, "d_ff": 24, "max_length": 24, "dropout": 0.0}
    values |= {"num_encoder_layers": 2, "num_decoder_layers": 2}
    return TransformerConfig(**(values | changes))


def tiny_model(seed: int = 0, **changes: Any) -> Model:
    """A model whose biases and norms are random too, so that a forgotten one shows.

    Its large embeddings make each token matter: greedy decoding does not just repeat one.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = build_model(tiny_config(**changes))
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.data += 0.2 * torch.randn_like(parameter)
            elif "embedding" in name:
                parameter.data *= 4
    return model.eval()


def tiny_checkpoint(
    tokenizer: Tokenizer, name: str = "tiny", seed: int = 0, **changes: Any
) -> Checkpoint:
    size = tokenizer.vocab_size
    model = tiny_model(seed, src_vocab_size=size, tgt_vocab_size=size, **changes)
    card = {"title": {"en": "Tiny", "zh": "小"}, "examples": ["I love you."]}
    return Checkpoint(name, model, tokenizer, card)


def num_hooks(model: Model) -> int:
    """Hooks that somebody left on the model, or has on it just now."""
    return sum(len(m._forward_hooks) + len(m._forward_pre_hooks) for m in model.modules())


def same_weights(one: AttentionTrace, other: AttentionTrace) -> bool:
    """Bit for bit."""
    pairs: list[tuple[Any, Any]] = [(one.weights(kind), other.weights(kind)) for kind in KINDS]
    return all(np.array_equal(a, b) for a, b in pairs)


def random_ids(seed: int, *shape: int, high: int = 29) -> Tensor:
    """Ordinary tokens: none is special."""
    return torch.randint(4, high, shape, generator=torch.Generator().manual_seed(seed))
