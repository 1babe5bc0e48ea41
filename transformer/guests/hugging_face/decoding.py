"""Tokens of a guest, decided by its own `generate`, with the settings that it came with."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ...errors import GuestError
from ...trace.sampling import Sampling, StopReason
from .calling import failing_plainly
from .drawing import Draws
from .families import has_two_towers, own_positions

Candidates = tuple[tuple[int, float, float | None], ...]
"""Ids, probabilities, and those in the distribution that was drawn from, None where none was; best
first, and after them the emitted one if it is none of them."""


REFUSED = {
    **dict.fromkeys(
        ("penalty_alpha", "dola_layers", "num_beam_groups", "constraints", "force_words_ids"),
        "which transformers itself no longer generates with",
    ),
    "token_healing": "which writes the end of the prompt anew",
}
"""Settings by name, and why nothing is written with them."""


@dataclass(frozen=True)
class Request:
    """A request for a text to be written.

    Attributes:
        ids: what the model reads: a source, or a prompt.
        prefix: what a target is made to begin with; after a prompt, what goes on with it.
        first: of an encoder-decoder, the token that its decoder starts with; None for its own.
        forced: the token that is to come first, a language's; None for the model's own.
        max_steps: the most tokens to emit.
        sampling: how to draw; None takes the likeliest, or the best beam.
        tokenizer: reads the texts that the model's settings stop at; None where there are none.
    """

    ids: tuple[int, ...]
    prefix: tuple[int, ...] = ()
    first: int | None = None
    forced: int | None = None
    max_steps: int = 64
    sampling: Sampling | None = None
    tokenizer: Any = None


@dataclass(frozen=True)
class Written:
    """A text that was written, and how.

    Attributes:
        read: what the decoder read, all but the last token of what there is.
        emitted: one token for each of these; of a prompt, its own next. None, where there is no
            head to write with.
        given: how many of what was read came with the request.
        candidates: of each step, () where nobody asked the model.
        forced_by: the setting that forced a step's token; None where none did.
        stop_reason: None where a setting of the model's own ended it, a text or a time.
    """

    read: tuple[int, ...]
    emitted: tuple[int, ...]
    given: int
    candidates: tuple[Candidates, ...]
    forced_by: tuple[str | None, ...]
    stop_reason: StopReason | None


def settings_of(model: Any, request: Request) -> Any:
    """The model's own generation settings, with what a request asks for."""
    settings = copy.deepcopy(model.generation_config)
    settings.max_length, settings.max_new_tokens = None, request.max_steps
    settings.min_length = min(settings.min_length or 0, request.max_steps)
    settings.num_return_sequences = 1
    settings.do_sample = False
    for name in ("temperature", "top_k", "top_p", "typical_p", "min_p", "epsilon_cutoff"):
        if hasattr(settings, name):
            setattr(settings, name, None)
    if request.sampling is not None:
        settings.num_beams = 1
    if request.forced is not None:
        settings.forced_bos_token_id = request.forced
    if request.first is not None:
        settings.decoder_start_token_id = request.first
    for name, why in REFUSED.items():
        value = getattr(settings, name, None)
        if value is True or value not in (None, False, 1):
            raise GuestError(
                f"The model's generation settings ask for {name}, {why}: set it to None in "
                "model.generation_config",
                "guest_config",
                model=type(model).__name__,
                field=name,
                value=str(value)[:40],
            )
    return settings


def start_of(model: Any, request: Request) -> int:
    """The token that an encoder-decoder's decoder reads first."""
    settings = getattr(model, "generation_config", None)
    named: tuple[Any, ...] = (
        request.first,
        getattr(settings, "decoder_start_token_id", None),
        getattr(model.config, "decoder_start_token_id", None),
        getattr(settings, "bos_token_id", None),
    )
    start: Any = next((it for it in named if it is not None), None)
    if start is None:
        raise GuestError(
            f"{type(model).__name__} does not say with which token a target starts: set "
            f"model.{'config' if settings is None else 'generation_config'}.decoder_start_token_id",
            "guest_config",
            model=type(model).__name__,
            field="decoder_start_token_id",
            value="null",
        )
    return int(start)


def write(model: Any, request: Request, *, cached: bool = True, top_k: int = 10) -> Written:
    """Lets the model generate.

    Args:
        model: of transformers, in evaluation mode.
        request: what is to be written.
        cached: False reads the whole text anew at every step.
        top_k: how many candidates to keep.
    """
    device = next(model.parameters()).device
    settings = settings_of(model, request)
    settings.return_dict_in_generate = settings.output_logits = True
    settings.use_cache = cached
    two_towers = has_two_towers(model)
    ids = torch.tensor(
        [request.ids if two_towers else (*request.ids, *request.prefix)], device=device
    )
    arguments: dict[str, Any] = {"attention_mask": torch.ones_like(ids)}
    begun: tuple[int, ...] = (*request.ids, *request.prefix)
    if two_towers:
        begun = (start_of(model, request), *request.prefix)
        arguments["decoder_input_ids"] = torch.tensor([begun], device=device)
    else:
        arguments |= own_positions(model, ids)
    if settings.stop_strings:
        arguments["tokenizer"] = request.tokenizer
    draws = request.sampling and Draws(request.sampling, len(begun) + request.max_steps)
    if draws:
        arguments["logits_processor"] = [draws]
    with torch.no_grad(), failing_plainly(model, "generate"):
        output = model.generate(ids, generation_config=settings, **arguments)
    tokens = [int(it) for it in output.sequences[0]]
    new = tokens[len(begun) :]
    steps = _steps(output, len(new))
    given = len(begun) - 1
    forced = Forcing(settings, len(begun), request.max_steps)
    candidates: list[Candidates] = [()] * given
    reasons: list[str | None] = [None] * given
    for at, token in enumerate(new):
        row = None if steps is None else steps[at]
        drawn = draws.shares[at] if draws else None
        candidates.append(() if row is None else best(row, token, top_k, drawn))
        reason = None if row is None or draws else forced.reason(row, token, at, tokens)
        reasons.append(reason)
    stop: StopReason | None = "max_steps" if len(new) >= request.max_steps else None
    return Written(
        read=tuple(tokens[:-1]),
        emitted=tuple(tokens[1:]),
        given=given,
        candidates=tuple(candidates),
        forced_by=tuple(reasons) if any(reasons) else (),
        stop_reason="eos" if tokens and tokens[-1] in ends_of(settings) else stop,
    )


def best(logits: Tensor, emitted: int, top_k: int, drawn: Tensor | None = None) -> Candidates:
    """The likeliest ids of a row of logits, and the emitted one.

    Args:
        logits: the model's own, [vocab].
        emitted: the id that was.
        top_k: how many are told; 0: none.
        drawn: the distribution that it was drawn from, [vocab]; None where it was not.
    """
    shares = logits.double().softmax(-1)
    likeliest = torch.topk(shares, min(top_k, shares.numel())).indices
    ids = [int(it) for it in likeliest]
    ids += [emitted] if emitted not in ids and top_k else []
    return tuple((it, float(shares[it]), None if drawn is None else float(drawn[it])) for it in ids)


def ends_of(settings: Any) -> tuple[int, ...]:
    """The ids that end a text."""
    return tuple(_listed(settings.eos_token_id))


@dataclass(frozen=True)
class Forcing:
    """Which generation setting made a token another than the model's likeliest."""

    settings: Any
    begun: int
    max_steps: int

    def reason(self, logits: Tensor, token: int, at: int, tokens: Sequence[int]) -> str | None:
        """The setting's name; None where the token is the likeliest.

        Args:
            logits: the model's own, [vocab].
            token: that was emitted.
            at: its step, counted from 0.
            tokens: all, with what was begun with.
        """
        likeliest = int(logits.argmax())
        # Of equal logits the first is taken, by either.
        if token == likeliest or bool(logits[token] == logits[likeliest]):
            return None
        it, ends = self.settings, ends_of(self.settings)
        before = list(tokens[: self.begun + at])
        causes: dict[str, bool] = {
            "forced_bos_token_id": token == it.forced_bos_token_id and len(before) == 1,
            "forced_eos_token_id": at + 1 == self.max_steps
            and token in _listed(it.forced_eos_token_id),
            "suppress_tokens": likeliest in _listed(it.suppress_tokens),
            "begin_suppress_tokens": not at and likeliest in _listed(it.begin_suppress_tokens),
            "min_new_tokens": likeliest in ends and at < (it.min_new_tokens or 0),
            "min_length": likeliest in ends and len(before) < (it.min_length or 0),
            "bad_words_ids": any(likeliest == word[-1] for word in it.bad_words_ids or ()),
            "no_repeat_ngram_size": _repeats(before, likeliest, it.no_repeat_ngram_size or 0),
            "encoder_no_repeat_ngram_size": bool(it.encoder_no_repeat_ngram_size),
            "repetition_penalty": (it.repetition_penalty or 1) != 1 and likeliest in before,
            "encoder_repetition_penalty": (it.encoder_repetition_penalty or 1) != 1,
            "sequence_bias": bool(it.sequence_bias),
            "exponential_decay_length_penalty": bool(it.exponential_decay_length_penalty),
            "guidance_scale": (it.guidance_scale or 1) != 1,
            "num_beams": (it.num_beams or 1) > 1,
        }
        return next((name for name, did in causes.items() if did), "generation_config")


def _listed(ids: Any) -> Sequence[int]:
    return () if ids is None else [int(ids)] if isinstance(ids, int) else ids


def _repeats(before: Sequence[int], token: int, size: int) -> bool:
    if not size or len(before) < size:
        return False
    last = [*before[len(before) - size + 1 :], token]
    grams = (before[at : at + size] for at in range(len(before) - size + 1))
    return any(list(gram) == last for gram in grams)


def _steps(output: Any, count: int) -> list[Tensor] | None:
    """The model's logits at each new token, of the beam that won; None if nobody knows."""
    logits = output.logits
    beams = getattr(output, "beam_indices", None)
    if logits is None or len(logits) < count:
        return None
    if beams is None:
        return [it[0] for it in logits[:count]]
    rows = [int(it) for it in beams[0]][:count]
    return [step[row] for step, row in zip(logits, rows, strict=False)]
