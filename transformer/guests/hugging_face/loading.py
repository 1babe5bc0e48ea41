"""Models of transformers by name: a folder's or the Hub's; code that comes with one never runs."""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false
import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import huggingface_hub
import torch
import transformers
from transformers import AutoConfig, AutoTokenizer, PreTrainedModel

from ...errors import GuestError, HeadlightError
from .families import check_family
from .guest import HuggingFaceModel
from .refusals import beyond_layers, result_of, unlike

DTYPES = {
    "auto": "auto",
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}
ADAPTER = "adapter_config.json"
OWN_CODE = {"trust_remote_code": False}
HUB = re.compile(r"\w[\w.-]*/[\w.-]+", re.ASCII)
MOST_SIGNS = 200
"""Characters of a name; the Hub allows 96."""

NAME = re.compile(r"\w[\w.-]*(/[\w.-]+)?", re.ASCII)

LAYERS = re.compile(r"\.\d+\.")
"""The number in a weight's name that says it is in one of several layers, not in a head."""

UNSEEN = re.compile(r"\bpooler\b")
"""A part behind the layers of which nothing is shown, and which many files lack."""

TOO_DEEP = re.compile(r'"(n|num|num_\w+|encoder|decoder)_layers?"\s*:\s*\d{4}')
"""In a configuration: no model has a thousand layers, which would be built one by one."""

AUTO = {
    "MaskedLM": transformers.AutoModelForMaskedLM,
    "CausalLM": transformers.AutoModelForCausalLM,
    "Seq2Seq": transformers.AutoModelForSeq2SeqLM,
}


def load(
    model: Any,
    tokenizer: Any = None,
    *,
    device: str = "auto",
    dtype: str = "auto",
    revision: str | None = None,
    token: str | None = None,
    local_files_only: bool = False,
) -> HuggingFaceModel:
    """A model of Hugging Face's, or its name: see `headlight.load`.

    Raises:
        HeadlightError: it is not there, or cannot be drawn truly; the sentence says why.
    """
    hub: dict[str, Any] = {
        "revision": revision,
        "token": token,
        "local_files_only": local_files_only,
    }
    name = ""
    if isinstance(model, str | Path):
        name = str(model)
        model, own_tokenizer = _loaded(_folder(model, hub), device, dtype, hub, tokenizer)
        tokenizer = own_tokenizer if tokenizer is None else tokenizer
    model = _unwrapped(model)
    if not isinstance(model, PreTrainedModel):
        raise GuestError(
            f"model is a {type(model).__name__}; expected a name, a folder or a model of "
            "transformers (headlight.trace draws any other module)"
        )
    if tokenizer is None:
        name_or_path = getattr(model.config, "_name_or_path", "")
        if not name_or_path:
            raise GuestError(
                f"This {type(model).__name__} comes without a tokenizer: hand it in, too"
            )
        tokenizer = _tokenizer(name_or_path, hub)
    elif isinstance(tokenizer, str | Path):
        tokenizer = _tokenizer(_folder(tokenizer, hub), hub)
    elif not hasattr(tokenizer, "convert_ids_to_tokens"):
        # A processor, which reads pictures, too, has its tokenizer.
        kind, tokenizer = type(tokenizer).__name__, getattr(tokenizer, "tokenizer", None)
        if tokenizer is None:
            raise GuestError(
                f"tokenizer is a {kind}; expected one of transformers, its name or folder"
            )
    if not name:
        return HuggingFaceModel(model, tokenizer)
    return result_of(name, lambda: HuggingFaceModel(model, tokenizer, name), config=model.config)


def _unwrapped(model: Any) -> Any:
    """The model inside what compiles it, shares it out, or adapts it (whose layers stay in it)."""
    while not isinstance(model, PreTrainedModel):
        wrapped = type(model).__name__ in ("DataParallel", "DistributedDataParallel")
        inner = getattr(model, "module" if wrapped else "_orig_mod", None)
        if inner is None and callable(getattr(model, "get_base_model", None)):
            inner = model.get_base_model()
        if inner is None or inner is model:
            break
        model = inner
    return model


def _config(name: str, hub: dict[str, Any]) -> Any:
    """A model's configuration, unless it is an adapter to another's weights."""
    if (Path(name) / ADAPTER).is_file():
        raise _adapts(name, Path(name) / ADAPTER)
    with suppress(OSError, UnicodeDecodeError):
        if TOO_DEEP.search((Path(name) / "config.json").read_text(encoding="utf-8")):
            raise unlike(f"{name}: its config.json tells of a thousand layers or more", name)
    try:
        return result_of(name, lambda: AutoConfig.from_pretrained(name, **hub, **OWN_CODE))
    except HeadlightError as error:
        if "model_type" in str(error) and not Path(name).exists():  # it was there to be asked
            try:
                file = Path(cast(Any, huggingface_hub).hf_hub_download(name, ADAPTER, **hub))
            except (OSError, ValueError):  # it has none: the first error says what is wrong
                raise error from None
            raise _adapts(name, file) from None
        raise


def _adapts(name: str, file: Path) -> GuestError:
    base = "a model that it does not name"
    with suppress(OSError, ValueError, AttributeError):
        base = json.loads(file.read_text(encoding="utf-8"))["base_model_name_or_path"] or base
    return GuestError(
        f"{name} is an adapter to the weights of {base}: load both with the library peft, and hand "
        "the model in, or what its merge_and_unload() gives",
        "guest_adapter",
        model=name,
    )


def _loaded(
    name: str, device: str, dtype: str, hub: dict[str, Any], tokenizer: Any
) -> tuple[Any, Any]:
    dtype = str(dtype).removeprefix("torch.")
    if dtype not in DTYPES:
        raise GuestError(f"dtype={dtype!r}; expected one of {', '.join(map(repr, DTYPES))}")
    config = _config(name, hub)
    check_family(config, name)
    quantised: Any = getattr(config, "quantization_config", None)
    if quantised is not None:
        how = quantised.get("quant_method", "some way")
        raise GuestError(
            f"{name} is quantised ({how}): load the model that it was made from, or load it with "
            "transformers, for which its own library is needed, and hand it in",
            "guest_quantised",
            model=name,
        )
    own_tokenizer = _tokenizer(name, hub) if tokenizer is None else None
    kind = class_of(config)
    model, lacking = _weighed(name, kind, config, dtype, hub)
    base: Any = cast(Any, transformers.AutoModel)._model_mapping.get(type(config), kind)
    if lacking and isinstance(base, type) and not isinstance(model, base):
        # What a head without weights says is random; it is drawn without its head.
        model, lacking = _weighed(name, base, config, dtype, hub)
    if lacking:
        raise unlike(f"{name} has no weights named {lacking[0]}, which would be random", name)
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        return model.to(device), own_tokenizer
    except (RuntimeError, AssertionError, TypeError) as error:
        why = str(error).splitlines()[0]
        code = "guest_memory" if "memory" in why else "guest"
        raise GuestError(f"device={device!r} cannot be used: {why[:200]}", code) from error


def _weighed(
    name: str, kind: Any, config: Any, dtype: str, hub: dict[str, Any]
) -> tuple[Any, list[str]]:
    """A model of a class, and the weights outside its layers that there are none for."""

    def weights(**more: Any) -> Any:
        more |= {"dtype": DTYPES[dtype], "output_loading_info": True}
        return kind.from_pretrained(name, config=config, **hub, **more)

    # Where the interface does not reach, only eager attention computes a softmax of its own.
    within = getattr(kind, "_can_set_attn_implementation", lambda: True)()
    eager = {} if within else {"attn_implementation": "eager"}
    model, report = result_of(name, lambda: weights(**eager), config=config)
    missing: list[str] = sorted(report["missing_keys"])
    if lacking := [it for it in missing if LAYERS.search(it)]:
        raise unlike(
            f"{name} has no weights for {len(lacking)} parts of the layers that its config.json "
            f"tells of ({lacking[0]}, say), which would be random",
            name,
        )
    if beyond := beyond_layers(model, report["unexpected_keys"]):
        raise unlike(
            f"{name} has weights of more layers than its config.json tells of ({beyond[0]}, say)",
            name,
        )
    learnt = {it for it, _ in model.named_parameters(remove_duplicate=False)}
    return model, [it for it in missing if it in learnt and not UNSEEN.search(it)]


def _folder(name: str | Path, hub: dict[str, Any]) -> str:
    """What transformers is asked for; owner/name is the Hub's, whatever folder is called so."""
    if not str(name).strip():
        raise GuestError('the name is empty; expected one such as "gpt2", or a folder')
    there = None
    with suppress(OSError, RuntimeError, ValueError):  # no path at all, or nobody's home
        path = Path(name).expanduser()
        there = path if not HUB.fullmatch(str(name)) and path.exists() else None
    if there is not None:
        if not there.is_dir():
            raise GuestError(f"{name} is a file; expected the folder of a model")
        return str(there)
    if len(str(name)) > MOST_SIGNS or not NAME.fullmatch(str(name)):
        raise GuestError(
            f"{str(name)[:80]}: neither a model of ours, nor a folder, nor a name as on the Hub, "
            'such as "gpt2" or "owner/name"',
        )
    if not isinstance(name, str) or not HUB.fullmatch(name) or not Path(name).exists():
        return str(name)
    return result_of(name, lambda: huggingface_hub.snapshot_download(name, **hub))


def class_of(config: Any) -> Any:
    """The class that a model's own configuration names, or the one that its family offers."""
    named = getattr(config, "architectures", None)
    for name in named if isinstance(named, list) else ():  # pyright: ignore[reportUnknownVariableType]
        kind = getattr(transformers, str(name), None)  # pyright: ignore[reportUnknownArgumentType]
        # What every model inherits from has no configuration; loaded, it changes them all.
        if isinstance(kind, type) and issubclass(kind, PreTrainedModel) and kind.config_class:
            return kind
    alone = (
        ("CausalLM", "MaskedLM")
        if getattr(config, "is_decoder", False)
        else ("MaskedLM", "CausalLM")
    )
    names = ("Seq2Seq",) if config.is_encoder_decoder else alone
    for auto in (*map(AUTO.__getitem__, names), transformers.AutoModel):
        if type(config) in auto._model_mapping:
            return auto._model_mapping[type(config)]
    family = str(getattr(config, "model_type", "this"))
    why = f"transformers has no model for {family!r}"
    raise GuestError(why, "guest_family", model=family, family=family)


def _tokenizer(name: str, hub: dict[str, Any]) -> Any:
    read = lambda: AutoTokenizer.from_pretrained(name, **hub, **OWN_CODE)  # noqa: E731
    tokenizer = result_of(name, read, "a tokenizer")
    # Without its files, T5's has a mark for spaces, and nothing else.
    if len(tokenizer) <= len(tokenizer.all_special_ids) + 2:
        raise GuestError(
            f"{name} comes without a tokenizer: hand it in, too", "no_tokenizer", model=name
        )
    return tokenizer
