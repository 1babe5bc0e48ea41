"""`headlight.trace`: any module of one's own, run as it is called."""

import sys
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor, nn

    from transformer.trace.trace import AttentionTrace


def trace(
    module: "nn.Module",
    src: "Tensor",
    tgt: "Tensor | None" = None,
    *,
    call: "Callable[..., Any] | None" = None,
    src_tokens: "Sequence[Any] | None" = None,
    tgt_tokens: "Sequence[Any] | None" = None,
    pad_id: int | None = None,
    kind: Literal["encoder", "decoder"] | None = None,
    row: int = 0,
) -> "AttentionTrace":
    """What a Transformer that somebody wrote attends to, without a change to its code.

    The module is called in `eval()`, without gradients, and left exactly as it was found. Weights
    are what came out of each softmax; where they are changed before they meet the values, a
    sentence says so, and the trace's title. What a row gave to what is no token of the text
    (padding that is cut away, a token of the model's own) is told as its sink.

    Args:
        module: any `torch.nn.Module`.
        src: ids [batch, length]; or numbers: [batch, length, feature], or a sound or a picture in
            whatever shape the module takes, whose pieces are then the tokens.
        tgt: the decoder's input, in the same forms; None for one tower alone.
        call: `call(module, src, tgt)` (or `call(module, src)`), where the module wants more than
            that, such as masks.
        src_tokens: labels of one's own, texts; without them, ids are shown, or pieces are numbered.
        tgt_tokens: the same of `tgt`.
        pad_id: the id of padding, which is cut away; None cuts nothing.
        kind: what one tower alone is; None reads it from its masks.
        row: which text of the batch.
    Returns:
        The trace: a notebook shows it as the viewer; `.save("x.html")` writes it as a page.
    Raises:
        ImportError: PyTorch is missing.
        TypeError: an argument is of another type.
        ValueError: it cannot be told; the sentence says why, and what was seen instead.
    """
    try:
        import torch  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError as error:
        raise ImportError(
            "headlight.trace needs PyTorch, which is not installed: pip install torch"
        ) from error
    from transformer.guests.modules.trace import trace_module

    traced, changed = trace_module(
        module,
        src,
        tgt,
        call=call,
        tokens={"src": src_tokens, "tgt": tgt_tokens},
        pad_id=pad_id,
        kind=kind,
        row=row,
    )
    if changed:
        sys.stdout.write(f"{changed}\n")
    return traced
