"""What a Marian model's files ask of whoever decodes it: obeyed, or refused by name.

Greedy decoding takes what the model itself finds likeliest, so a setting that chooses otherwise
would put tokens on the screen that no picture explains. OPUS-MT's models have none of those: they
ban their padding token, and end a text at its greatest length.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ...errors import CheckpointError
from ..folder import CONFIG
from ..json_object import read_json

GENERATION = "generation_config.json"

WITHOUT_EFFECT: dict[str, tuple[Any, ...]] = {
    "begin_suppress_tokens": ([],),
    "constraints": ([],),
    "dola_layers": (),
    "encoder_no_repeat_ngram_size": (0,),
    "encoder_repetition_penalty": (1,),
    "exponential_decay_length_penalty": (),
    "force_bos_token_to_be_generated": (False,),
    "force_words_ids": ([],),
    "forced_bos_token_id": (),
    "forced_decoder_ids": ([],),
    "guidance_scale": (1,),
    "max_time": (),
    # The first token is always there: it is decoding's start.
    "min_length": (0, 1),
    "min_new_tokens": (0,),
    "no_repeat_ngram_size": (0,),
    "penalty_alpha": (0,),
    "repetition_penalty": (1,),
    "sequence_bias": ([], {}),
    "stop_strings": ([],),
    "token_healing": (False,),
    "watermarking_config": (),
}
"""What else changes greedy decoding, and the values, beside null, with which it does not.

Of Hugging Face's other settings some are for drawing (temperature, top_k …) or for beams alone
(length_penalty, early_stopping …), and some change no token (renormalize_logits)."""


@dataclass(frozen=True, kw_only=True)
class Generation:
    """What decoding obeys: see `TransformerConfig`."""

    bos_id: Any
    eos_id: Any
    banned_ids: tuple[int, ...]
    longest_target: int
    ends_longest: bool


def read_generation(folder: Path, config: dict[str, Any]) -> Generation:
    """The settings of generation_config.json; where there is none, config.json's.

    Raises:
        CheckpointError: a setting is broken, or one that is refused.
    """
    path = folder / GENERATION
    settings = read_json(path) if path.exists() else config
    try:
        return _read(settings, config)
    except ValueError as error:
        raise CheckpointError(path if path.exists() else folder / CONFIG, str(error)) from error


def _read(settings: dict[str, Any], config: dict[str, Any]) -> Generation:
    for name, neutral in WITHOUT_EFFECT.items():
        value = settings.get(name)
        if value is not None and value not in neutral:
            raise ValueError(
                f"{name} is {value}, but what is shown here is what the model itself finds "
                f"likeliest: take {name} out of the file to see that"
            )
    eos = _one("eos_token_id", _first(settings.get("eos_token_id"), config.get("eos_token_id")))
    longest = _longest(settings)
    end = _one("forced_eos_token_id", settings.get("forced_eos_token_id"))
    if end not in (None, eos):
        raise ValueError(f"forced_eos_token_id is {end}, but a text ends with eos_token_id ({eos})")
    return Generation(
        bos_id=_first(
            settings.get("decoder_start_token_id"),
            settings.get("bos_token_id"),
            config.get("decoder_start_token_id"),
        ),
        eos_id=eos,
        banned_ids=_banned(settings, eos),
        longest_target=longest,
        ends_longest=bool(longest) and end is not None,
    )


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def _one(name: str, value: Any) -> Any:
    """A token, which may be written as a list of one."""
    if not isinstance(value, list):
        return value
    tokens = cast(list[Any], value)
    if len(tokens) != 1:
        raise ValueError(f"{name} is {tokens}, but a text ends with one token here")
    return tokens[0]


def _longest(settings: dict[str, Any]) -> int:
    """The most tokens to emit; 0 if the files set no limit. Theirs counts the start as one."""
    for name, start in (("max_new_tokens", 0), ("max_length", 1)):
        value = settings.get(name)
        if value is None:
            continue
        if type(value) is not int or value <= start:
            raise ValueError(f"{name} must be a whole number above {start}, not {value!r}")
        return value - start
    return 0


def _banned(settings: dict[str, Any], eos: Any) -> tuple[int, ...]:
    """Single tokens only: OPUS-MT bans none but its padding."""
    banned: list[int] = []
    for name, nested in (("bad_words_ids", True), ("suppress_tokens", False)):
        listed = settings.get(name)
        for each in _checked(name, [] if listed is None else listed, nested):
            if each == [eos] and nested:  # which is no bad word
                continue
            if len(each) != 1:
                raise ValueError(f"{name} bans the sequence {each}; we ban single tokens")
            banned.append(each[0])
    return tuple(dict.fromkeys(banned))


def _checked(name: str, listed: Any, nested: bool) -> list[list[int]]:
    rows = cast(list[Any], listed if isinstance(listed, list) else [None])
    lists = rows if nested else [[token] for token in rows]
    for row in lists:
        if not isinstance(row, list) or any(type(t) is not int for t in cast(list[Any], row)):
            kind = "lists of tokens" if nested else "tokens"
            raise ValueError(f"{name} must be a list of {kind}, not {listed!r}")
    return cast(list[list[int]], lists)
