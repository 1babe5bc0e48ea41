"""A guest's card: what it is, the proof that its picture is true, and what it cannot be asked."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

from ...errors import HeadlightError
from ...guests.hugging_face.families import is_masked_language_model
from ...guests.hugging_face.guest import HuggingFaceModel
from ...guests.hugging_face.towers import layers_of
from ...inside import ANALYSES
from ...inside.any_model import OF_GUESTS, anatomy
from ...trace.guest import Form
from .files import Files

Why = Literal["ours", "outside", "layers", "hidden", "drawn"]
"""Our own models alone are asked; its attention lies outside transformers' interface; nobody knows
where its layers lie; it says nothing of hidden tokens; no picture shows how it is put together."""

OURS = (
    *("worked_out", "training", "learnt"),
    *(name for name, each in ANALYSES.items() if each.ours_alone),
)
JUDGED = [name for name in OF_GUESTS if ANALYSES[name].needs]
"""What rests on tokens that are predicted, or on the states that predict them."""


class Heads(NamedTuple):
    """A kind of attention: how many layers have it, of how many heads at most.

    Attributes:
        key_value: heads that keys and values have; 0 where nobody knows.
    """

    layers: int
    heads: int
    key_value: int


@dataclass(frozen=True)
class Card:
    """What is known of a guest once it is loaded.

    Attributes:
        form: which towers there are.
        family: as its configuration calls it.
        model_class: of transformers.
        heads: by kind of attention.
        parameters: how many.
        dtype: what it computes in.
        device: where.
        size: of its weights on the disk, in bytes.
        revision: of the Hub, its commit; empty of a folder of one's own.
        license: empty if its makers name none.
        eager: by how much its weights differ from what it returns itself; None if it returns none.
        sums: how far a row is from 1 at most.
        moved: by how much outputs move where a head is switched off.
        longest: tokens that it reads; 0 without a limit.
        masks: whether it guesses hidden tokens.
        chats: whether it has a chat template.
        languages: tokens of languages that it can be told to write.
        prefixes: what a source may begin with, to say what is to be done.
        lacks: by question or analysis, why it cannot be asked.
    """

    form: Form
    family: str
    model_class: str
    heads: Mapping[str, Heads]
    parameters: int
    dtype: str
    device: str
    size: int
    revision: str
    license: str
    eager: float | None
    sums: float
    moved: float
    longest: int
    masks: bool
    chats: bool
    languages: tuple[str, ...]
    prefixes: tuple[str, ...]
    lacks: Mapping[str, Why]

    def payload(self) -> dict[str, Any]:
        """The card as JSON values."""
        heads = {kind: each._asdict() for kind, each in self.heads.items()}
        return asdict(self) | {"heads": heads}


def card_of(guest: HuggingFaceModel, files: Files) -> Card:
    """What there is to know of a guest."""
    config, learnt = guest.model.config, guest.learnt
    kinds: dict[str, Heads] = {}
    for kind, heads in learnt.heads.items():
        key_value = max((it or 0 for it in learnt.key_value_heads.get(kind, ())), default=0)
        kinds[kind] = Heads(sum(map(bool, heads)), max(heads), key_value)
    masks = guest.form == "encoder" and is_masked_language_model(guest.model)
    return Card(
        form=guest.form,
        family=str(getattr(config, "model_type", "")),
        model_class=type(guest.model).__name__,
        heads=kinds,
        parameters=sum(it.numel() for it in guest.model.parameters()),
        dtype=guest.dtype,
        device=str(guest.device.type),
        size=files.size,
        revision=files.revision,
        license=files.license,
        eager=guest.proof.eager,
        sums=guest.proof.sums,
        moved=guest.proof.moved,
        longest=guest.texts.limit or 0,
        masks=masks and guest.tokenizer.mask_token_id is not None,
        chats=guest.form == "decoder" and bool(getattr(guest.tokenizer, "chat_template", None)),
        languages=guest.texts.languages if guest.form == "encoder-decoder" else (),
        prefixes=_prefixes(guest),
        lacks=_lacks(guest, masks),
    )


def _lacks(guest: HuggingFaceModel, masks: bool) -> dict[str, Why]:
    lacks: dict[str, Why] = dict.fromkeys(OURS, "ours")
    if guest.learnt.ordinals is not None:
        lacks |= dict.fromkeys(("patching", "value_norms", "value_zeroing"), "outside")
    try:
        layers_of(guest.model, guest.learnt, "encoder" if guest.form == "encoder" else "decoder")
    except HeadlightError:
        lacks |= dict.fromkeys(("lens", "patching", "value_zeroing"), "layers")
    try:
        anatomy(guest)
    except HeadlightError:
        lacks["anatomy"] = "drawn"
    if guest.form == "encoder" and not masks:
        lacks |= dict.fromkeys(JUDGED, "hidden")
    return lacks


def _prefixes(guest: HuggingFaceModel) -> tuple[str, ...]:
    tasks = getattr(guest.model.config, "task_specific_params", None)
    if guest.form != "encoder-decoder" or not isinstance(tasks, dict):
        return ()
    prefixes: list[str] = []
    for each in tasks.values():  # pyright: ignore[reportUnknownVariableType]
        with suppress(AttributeError, TypeError):
            prefix = each.get("prefix")  # pyright: ignore[reportUnknownVariableType]
            if isinstance(prefix, str) and 0 < len(prefix) <= 80:
                prefixes.append(prefix)
    return tuple(dict.fromkeys(prefixes))
