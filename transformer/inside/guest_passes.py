"""Passes over a guest's trace, scored: what every experiment on one is made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from ..ask.passes import Logs
from ..errors import GuestError
from ..trace.trace import AttentionTrace
from ..trace.words import Word, word_texts, words_of

if TYPE_CHECKING:
    from ..guests.hugging_face.guest import HuggingFaceModel


@dataclass(frozen=True)
class Scored:
    """The tokens of a trace that are judged: those that were emitted, or that were hidden.

    Attributes:
        arguments: ids by the name of the model's argument.
        rows: of the logits, which say them.
        ids: theirs.
        reads, says: labels of a row's own token, and of the one that is judged.
    """

    arguments: dict[str, tuple[int, ...]]
    rows: tuple[int, ...]
    ids: tuple[int, ...]
    reads: tuple[str, ...]
    says: tuple[str, ...]


def scored(guest: "HuggingFaceModel", trace: AttentionTrace) -> Scored:
    """What can be judged of a trace.

    Raises:
        HeadlightError: nothing can: an encoder guesses only what is hidden from it.
    """
    arguments = guest.arguments(trace)
    if guest.form != "encoder":
        if not guest.writes:
            raise GuestError(
                f"{guest.name} has no head to write with, so it says nothing of any token",
                "not_offered",
            )
        rows = tuple(range(len(trace.tgt_ids)))
        return Scored(arguments, rows, trace.tgt_ids, trace.tgt_in, trace.tgt_out)
    hidden = trace.guest.hidden if trace.guest is not None else ()
    if not hidden or "hidden" not in guest.offers:
        raise GuestError(
            f"{guest.name} is an encoder, which says something only of a token that is hidden from "
            "it: trace(text, hidden=[3]), of a model with a head for masked tokens",
            "not_offered",
        )
    rows = tuple(it.at for it in hidden)
    ids = tuple(it.id or 0 for it in hidden)
    says = tuple(it.token for it in hidden)
    return Scored(arguments, rows, ids, tuple(trace.src[row] for row in rows), says)


def logits_of(guest: "HuggingFaceModel", one: Scored, rows: int = 1) -> Tensor:
    """Logits [rows, judged, vocab] of a pass, as the model is changed where this is called."""
    from ..guests.hugging_face.calling import forward, token_logits

    output = forward(guest.model, one.arguments, rows=rows)
    return token_logits(output)[:, list(one.rows)].float()


def logs_of(logits: Tensor, ids: Sequence[int]) -> Logs:
    """Log-probabilities [rows, judged] of ids, nats."""
    chosen = torch.tensor(list(ids), device=logits.device).expand(logits.shape[:2])[..., None]
    return logits.double().log_softmax(-1).gather(-1, chosen)[..., 0].cpu().numpy()


def refuse_unseen_values(guest: "HuggingFaceModel") -> None:
    """Refuses a guest whose attention's values nobody sees.

    Raises:
        HeadlightError: naming it.
    """
    if guest.learnt.ordinals is not None:
        raise GuestError(
            f"{guest.name} has its attention outside transformers' interface, where values are "
            "not seen",
            "not_offered",
        )


def words_and_pieces(trace: AttentionTrace) -> tuple[tuple[str, ...], tuple[Word, ...]]:
    """The words of a source, or of a decoder's text, and the places of their tokens."""
    side = "src" if trace.src else "tgt"
    labels = trace.src or trace.tgt_in
    owners = trace.guest.words.get(side) if trace.guest is not None else None
    if owners is None:
        pieces = words_of(labels)
    else:
        numbers = [it for it in dict.fromkeys(owners) if it is not None]
        pieces = [
            tuple(int(at) for at in np.flatnonzero([it == n for it in owners])) for n in numbers
        ]
    return word_texts(labels, pieces), tuple(pieces)
