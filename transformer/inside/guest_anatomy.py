"""A guest's blocks, read off one pass: what does not add up to a block of the picture is not drawn.

Which family puts its norms where, and what it adds to what, no configuration tells alike. So every
sum and every norm of every layer is held against the vectors that were there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor, nn

from .anatomy import Anatomy
from .guest_calls import (
    EXACT,
    Call,
    calls_of,
    is_added,
    is_norm,
    is_same,
    kind_of_norm,
    learnt_in,
    other,
)

if TYPE_CHECKING:
    from ..guests.hugging_face.guest import HuggingFaceModel
    from ..guests.hugging_face.towers import Tower

Placement = Literal["pre", "post"]


@dataclass(frozen=True)
class _Layer:
    """What a layer turned out to be.

    Attributes:
        placement: of its norms.
        norms: of each sublayer, in order.
        parts: the calls of each sublayer.
    """

    placement: Placement
    norms: Sequence[Call]
    parts: Sequence[Sequence[Call]]


def anatomy(guest: "HuggingFaceModel") -> Anatomy:
    """What a guest is made of: see `anatomy.anatomy`.

    Raises:
        HeadlightError: it is put together in another way than the picture's.
    """
    return _Reader(guest).anatomy()


class _Reader:
    def __init__(self, guest: "HuggingFaceModel") -> None:
        from ..guests.hugging_face.towers import KIND_OF, layers_of

        self.guest, self.model = guest, guest.model
        self.calls, self.logits = calls_of(guest)
        self.exact = EXACT[guest.dtype]
        self.towers: dict[Tower, list[nn.Module]] = {
            tower: layers_of(guest.model, guest.learnt, tower)
            for tower in ("encoder", "decoder")
            if KIND_OF[tower] in guest.learnt.heads
        }
        self.config: dict[str, Any] = {}
        self.parameters: dict[str, int] = {}

    def anatomy(self) -> Anatomy:
        """The anatomy: configuration, and every block with its parameters."""
        vocab = int(self.model.get_input_embeddings().weight.size(0))
        decodes = "decoder" in self.towers
        self._tell("src_vocab_size", vocab if "encoder" in self.towers else 0)
        self._tell("tgt_vocab_size", vocab if decodes else 0)
        for tower in ("encoder", "decoder"):
            self._tell(f"num_{tower}_layers", len(self.towers.get(tower, ())))
        heads = {count for counts in self.guest.learnt.heads.values() for count in counts}
        self._tell("num_heads", *heads)
        groups = {it or 0 for counts in self.guest.learnt.key_value_heads.values() for it in counts}
        self._tell("key_value_heads", *groups)
        for tower, layers in self.towers.items():
            self._tower(tower, layers)
        self.config.setdefault("guesses", False)
        return Anatomy(
            config=self.config,
            parameters=self.parameters,
            total=sum(it.numel() for it in self.model.parameters()),
        )

    def _tower(self, tower: "Tower", layers: Sequence[nn.Module]) -> None:
        places = [self._place(layer) for layer in layers]
        enters = self.calls[places[0]].entered
        others = {it for name, each in self.towers.items() if name != tower for it in each}
        ended = [at for at, it in enumerate(self.calls[: places[0]]) if it.module in others]
        within = {*layers[0].modules()}
        calls = self.calls[max(ended, default=-1) + 1 : places[0]]
        self._begins(tower, [it for it in calls if it.module not in within], enters)
        sublayers = ["self_attention", "feed_forward"]
        if tower == "decoder" and "encoder" in self.towers:
            sublayers.insert(1, "cross_attention")
        stream = enters
        for number, (layer, place) in enumerate(zip(layers, places, strict=True)):
            leaves = self.calls[place].leaves
            own = {*layer.modules()} - {layer}
            calls = [it for it in self.calls[:place] if it.module in own]
            read = self._layer(calls, stream, leaves, len(sublayers))
            self._tell("norm_placement", read.placement)
            for name, norm, parts in zip(sublayers, read.norms, read.parts, strict=True):
                at = f"{tower}.L{number + 1}.{name}"
                self.parameters[at] = learnt_in(parts)
                self.parameters[f"{at}.norm"] = learnt_in([norm])
                self._tell("norm", kind_of_norm(norm))
                self._sublayer(name, parts, stream.size(-1))
            stream = leaves
        self._ends(tower, self.calls[places[-1] + 1 :], stream)

    def _begins(self, tower: "Tower", calls: Sequence[Call], enters: Tensor) -> None:
        """What is embedded and added before the first layer."""
        width = enters.size(-1)
        self._tell("d_model", width)
        leaves = [it for it in calls if not [*it.module.children()]]
        norms = [it for it in leaves if is_norm(it, enters)]
        embeddings = [it for it in leaves if "Embedding" in type(it.module).__name__]
        embeddings = [
            it for it in embeddings if it.leaves.size(-1) == width and it.leaves.ndim <= enters.ndim
        ]
        vocab = self.model.get_input_embeddings().weight.size(0)
        tokens = [
            it for it in embeddings if getattr(it.module, "weight", torch.empty(0)).size(0) == vocab
        ]
        if len(tokens) != 1 or len(norms) > 1:
            raise other("what stands before its first layer is not known")
        others = [it for it in embeddings if it is not tokens[0]]
        stream = enters
        if norms:
            if not self._same(norms[0].leaves, enters):
                raise other("what stands before its first layer is not known")
            stream = norms[0].entered
            self.parameters[f"{tower}.embedding_norm"] = learnt_in(norms)
        added = sum((it.leaves for it in others), torch.zeros_like(enters))
        scaled = [
            by for by in (1.0, width**0.5) if self._same(tokens[0].leaves * by + added, stream)
        ]
        if not scaled:
            raise other("what its tokens' vectors begin as is not known")
        self._tell("embedding_norm", bool(norms))
        self._tell("scale_embeddings", scaled[0] != 1)
        placed = [it for it in others if "pos" in it.name.lower() or it.name.endswith("wpe")]
        self._tell("position_kind", self._positions(placed))
        self.parameters[f"{tower}.embedding"] = learnt_in(
            [it for it in embeddings if it not in placed]
        )
        if learnt_in(placed):
            self.parameters[f"{tower}.position"] = learnt_in(placed)

    def _positions(self, placed: Sequence[Call]) -> str:
        """How a guest knows the order of its tokens."""
        turned = any("Rotary" in type(it).__name__ for it in self.model.modules())
        relative = ("relative_attention_bias", "rel_embeddings")
        biased = any(name in it.name for it in self.calls for name in relative)
        fixed = any("Sinusoid" in type(it.module).__name__ for it in placed)
        kinds = {
            "sinusoidal" if fixed else "learned": bool(placed),
            "rotary": turned,
            "relative": biased,
        }
        if sum(kinds.values()) != 1:
            raise other("how it knows the order of its tokens is not known")
        return next(name for name, there in kinds.items() if there)

    def _layer(self, calls: Sequence[Call], stream: Tensor, leaves: Tensor, count: int) -> _Layer:
        """Each norm and each sum, as they follow one another."""
        places = [at for at, it in enumerate(calls) if is_norm(it, stream)]
        if len(places) != count:
            raise other("its layers have other norms than one a part")
        norms = [calls[at] for at in places]
        before = [
            calls[i:j]
            for i, j in zip([0, *(at + 1 for at in places)], [*places, None], strict=True)
        ]
        # The last of these comes after the last norm, the first before the first.
        for placement in ("pre", "post"):
            parts = before[1:] if placement == "pre" else before[:-1]
            now, fits = stream, True
            for number, (norm, part) in enumerate(zip(norms, parts, strict=True)):
                if placement == "post":
                    fits = fits and self._adds(part, now, norm.entered)
                    now = norm.leaves
                    continue
                after = norms[number + 1].entered if number + 1 < count else leaves
                fits = fits and self._same(norm.entered, now) and self._adds(part, now, after)
                now = after
            if fits and self._same(now, leaves):
                return _Layer(placement, norms, parts)
        raise other("its layers add up in another way")

    def _sublayer(self, name: str, calls: Sequence[Call], width: int) -> None:
        """The sizes of a part, by the matrices that it multiplies with."""
        matrices = [it for it in calls if getattr(it.module, "weight", torch.empty(0)).ndim == 2]
        matrices = [it for it in matrices if it.entered.is_floating_point()]
        whole = all(
            it.module in {m.module for m in matrices} for it in calls if learnt_in([it]) > width
        )
        if not matrices or matrices[-1].leaves.size(-1) != width:
            raise other(f"what its {name.replace('_', '-')} multiplies with is not known")
        inner = matrices[-1].entered.size(-1)
        if name != "feed_forward":
            self._tell("d_head", inner // self.config["num_heads"])
            return
        self._tell("d_ff", inner)
        wide = sum(it.leaves.size(-1) for it in matrices[:-1]) / inner
        if wide not in (1, 2) or not whole:
            raise other("its feed-forward is no two matrices, nor three with a gate")
        self._tell("gated", wide == 2)
        text = self.model.config.get_text_config()
        names = (
            "hidden_act",
            "activation_function",
            "dense_act_fn",
            "hidden_activation",
            "activation",
        )
        self._tell("activation", next((getattr(text, it) for it in names if hasattr(text, it)), ""))

    def _ends(self, tower: "Tower", calls: Sequence[Call], stream: Tensor) -> None:
        """What stands behind the last layer."""
        after = [it for it in calls if is_norm(it, stream)]
        norm = next((it for it in after if self._same(it.entered, stream)), None)
        self._tell("final_norms", norm is not None)
        if norm is not None:
            self.parameters[f"{tower}.norm"] = learnt_in([norm])
            stream = norm.leaves
        if tower == "encoder":
            if "decoder" not in self.towers:
                self._guesses(calls)
            return
        head = self.model.get_output_embeddings() if self.guest.writes else None
        call = next((it for it in calls if it.module is head), None)
        if call is None or self.logits is None:
            raise other("it has no head to write with")
        scales = (1.0, stream.size(-1) ** -0.5)
        if not any(self._same(stream * by, call.entered) for by in scales):
            raise other("what its head reads is not what its last layer hands on")
        bias = getattr(self.model, "final_logits_bias", 0)
        if not self._same(call.leaves + bias, self.logits):
            raise other("its logits are not its head's")
        self._writes(call.module)
        self.parameters["decoder.output"] = learnt_in([call])

    def _guesses(self, calls: Sequence[Call]) -> None:
        """The head that guesses hidden tokens, where an encoder has one."""
        head, within = self.model.get_output_embeddings(), {*self.model.base_model.modules()}
        call = next((it for it in calls if it.module is head), None)
        logits = self.logits
        if call is None or logits is None or not self._same(call.leaves, logits):
            self._writes(None)
            return
        self._tell("guesses", True)
        own = [it for it in calls if it.module not in within]
        self.parameters["encoder.output"] = learnt_in(own)
        self._writes(call.module)

    def _writes(self, head: nn.Module | None) -> None:
        """The matrix that logits are made with, if there is one."""
        table = self.model.get_input_embeddings().weight
        self._tell(
            "tied_embeddings", "all" if head is not None and head.weight is table else "none"
        )
        self._tell("output_bias", getattr(head, "bias", None) is not None)

    def _tell(self, name: str, *values: Any) -> None:
        """What must be alike in all layers, and in both towers."""
        for value in values:
            if self.config.setdefault(name, value) != value:
                raise other(f"its parts are of unlike sizes or kinds ({name})")

    def _place(self, module: nn.Module) -> int:
        places = [at for at, it in enumerate(self.calls) if it.module is module]
        if len(places) != 1:
            raise other("its layers are not called once each")
        return places[0]

    def _same(self, one: Tensor, it: Tensor) -> bool:
        return is_same(one, it, self.exact)

    def _adds(self, calls: Sequence[Call], stream: Tensor, after: Tensor) -> bool:
        return is_added(calls, stream, after, self.exact)
