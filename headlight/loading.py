"""`headlight.load`: a model of ours, or of Hugging Face, by name, from a folder or at hand."""

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from transformer.traced_model import TracedModel

MISSING = (
    "headlight.load needs {name}, which is not installed: "
    'pip install "headlight-attention[hub]" brings it'
)


def load(
    model: Any,
    tokenizer: Any = None,
    *,
    device: str = "auto",
    dtype: str = "auto",
    revision: str | None = None,
    token: str | None = None,
    local_files_only: bool = False,
) -> "TracedModel":
    """A Transformer that can be asked for traces, recorded while it computes.

    Args:
        model: a name: one of ours ("en-zh"), a folder, or one on the Hub ("gpt2", "org/name");
            or a model of transformers.
        tokenizer: its tokenizer, or a name or folder of one; None takes what comes with a name.
        device: where a model that is loaded by name computes; "auto" is CUDA where there is one.
        dtype: what it computes in, "float32", "float16" or "bfloat16"; "auto" is what it was saved
            in.
        revision: of a model on the Hub, a branch, tag or commit.
        token: to ask the Hub with, for what is gated or private.
        local_files_only: asks the Hub for nothing.
    Returns:
        `.trace(source)` gives a trace. Of Hugging Face's, `with` or `.close()` puts the model back
        as it was.
    Raises:
        HeadlightError: it is not there, or cannot be drawn truly; the sentence says why.
        ImportError: a library is missing; the sentence says how to get it.
    """
    try:
        import torch  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError as error:
        raise ImportError(MISSING.format(name="PyTorch")) from error
    if isinstance(model, str | Path) and _is_ours(model):
        from transformer import Translator

        return Translator.load(model, cast(Any, device))
    try:
        import transformers  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError as error:
        raise ImportError(MISSING.format(name="transformers")) from error
    from transformer.guests.hugging_face.loading import load as load_guest

    return load_guest(
        model,
        tokenizer,
        device=device,
        dtype=dtype,
        revision=revision,
        token=token,
        local_files_only=local_files_only,
    )


def _is_ours(name: str | Path) -> bool:
    """Whether it is the name of an installed model of ours, or the folder of one."""
    from transformer.checkpoint.places import is_installed

    if is_installed(str(name)):
        return True
    with suppress(OSError, ValueError):
        config = json.loads((Path(name) / "config.json").read_text(encoding="utf-8"))
        return isinstance(config, dict) and "model_type" not in config and "model" in config
    return False
