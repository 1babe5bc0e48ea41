"""Which attention of a guest is of which kind and layer: learnt on one run, by behaviour."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from ...errors import GuestError, HeadlightError
from ...recording.hooks import attached
from ...trace.guest import Form
from ...trace.kinds import KINDS, Kind
from .calling import call
from .families import has_two_towers
from .outside import caught
from .points import Points, Watch, watching

SRC, TGT, ALONE = 5, 4, 6
"""Tokens of the run; source and target are of unlike length, so that their kinds can be told."""


class NothingSeen(HeadlightError):  # noqa: N818 - another way may see it
    """No softmax of a guest's came by, where it was looked for."""


@dataclass
class Seen:
    """One attention of the run.

    Attributes:
        module: that computed it.
        nth: which softmax of the module's call it was; 0 within the interface.
        weights: [batch, head, query, key].
        key_value_heads: how many heads keys and values have; None if nobody saw.
        sinks: a row gives a share to no token.
    """

    module: nn.Module
    points: Points
    nth: int = 0
    weights: Tensor | None = None
    key_value_heads: int | None = None
    sinks: bool = False


@dataclass
class Learning(Watch):
    """A watch that makes points as it goes, to see what there is."""

    seen: list[Seen] = field(default_factory=list[Seen])
    nth: Callable[[nn.Module], int] = lambda _: 0

    def enter(self, module: nn.Module, queries: int) -> Points | None:  # noqa: ARG002
        """New points at every call."""
        one = Seen(module, Points("encoder_self", len(self.seen)), self.nth(module))
        self.seen.append(one)

        def weights(_module: nn.Module, _args: object, output: Tensor) -> None:
            one.weights = output.detach()

        def value(_module: nn.Module, _args: object, output: Tensor) -> None:
            one.key_value_heads = output.size(1)

        def sink(_module: nn.Module, _args: object, _output: Tensor) -> None:
            one.sinks = True

        for point, hook in (("weights", weights), ("value", value), ("sink", sink)):
            getattr(one.points, point).register_forward_hook(hook)
        return one.points


@dataclass(frozen=True)
class Learnt:
    """What a guest's attention is.

    Attributes:
        form: which towers there are.
        layout: of each attention module its points.
        heads: by kind, the number of heads of each layer; 0 of a layer without attention.
        key_value_heads: the same of keys and values, where they are fewer; None unknown.
        ordinals: outside the interface, which softmax of its call is a module's attention; else
            None.
    """

    form: Form
    layout: Mapping[nn.Module, tuple[Points, ...]]
    heads: Mapping[Kind, tuple[int, ...]]
    key_value_heads: Mapping[Kind, tuple[int | None, ...]]
    ordinals: Mapping[nn.Module, int] | None


def probe(model: Any) -> dict[str, Tensor]:
    """Arguments of the run that a guest's attention is learnt from: ids and masks, [1, token]."""
    config = model.config
    device = next(model.parameters()).device
    table = getattr(model.get_input_embeddings(), "weight", None)
    if not isinstance(table, Tensor):
        kind = type(model).__name__
        why = f"{kind} reads no text: it has no one table of embeddings"
        raise GuestError(why, "guest_no_text", model=kind)
    vocab = table.size(0)
    special = ("pad", "bos", "eos", "unk", "sep", "cls", "mask", "decoder_start")
    named = [getattr(config, f"{it}_token_id", None) for it in special]
    plain = [it for it in range(3, vocab) if it not in named] or list(range(vocab))

    def ids(length: int, step: int) -> Tensor:
        chosen = [plain[(7 * at + step) % len(plain)] for at in range(length)]
        return torch.tensor([chosen], device=device)

    if has_two_towers(model):
        src = ids(SRC, 1)
        return {
            "input_ids": src,
            "attention_mask": torch.ones_like(src),
            "decoder_input_ids": ids(TGT, 2),
        }
    alone = ids(ALONE, 1)
    return {"input_ids": alone, "attention_mask": torch.ones_like(alone)}


def learn(model: Any, within: bool) -> Learnt:
    """Runs a guest once, and reads off what its attention is.

    Args:
        model: of transformers.
        within: its attention goes through transformers' interface.
    Raises:
        NothingSeen: there is no softmax there.
        HeadlightError: it is none that can be drawn; the sentence says why.
    """
    watch = Learning({}, masks={})
    inputs = probe(model)
    times = Counter[nn.Module]()

    def count(module: nn.Module, *_: object) -> None:
        times[module] += 1

    with watching(watch), attached((it, count) for it in model.modules()):
        if within:
            call(model, inputs)
        else:
            with caught([*model.modules()], None, watch) as calls:
                watch.nth = calls.nth
                call(model, inputs)
    name = type(model).__name__
    seen = [it for it in watch.seen if it.weights is not None]
    if not within and any(_is_square(it) for it in seen):
        # Whatever else a family takes a softmax of, a convolution's kernel say, is no attention.
        attend = {(type(it.module), it.nth) for it in seen if _is_square(it)}
        seen = [it for it in seen if (type(it.module), it.nth) in attend]
    if not seen:
        raise NothingSeen(
            "guest_undrawn",
            f"{name} computes no softmax over tokens that could be seen: it attends to none (a "
            "state-space model, say), or its attention is fused: then load it with "
            'attn_implementation="eager", or hand it to headlight.trace, which looks into any '
            "module",
            model=name,
        )
    kinds: list[Kind] = [_kind(it, watch, has_two_towers(model), name) for it in seen]
    attentions = list(zip(seen, kinds, strict=True))
    heads: dict[Kind, tuple[int, ...]] = {}
    key_value_heads: dict[Kind, tuple[int | None, ...]] = {}
    layout: dict[nn.Module, list[Points]] = {it.module: [] for it in seen}
    for kind in KINDS:
        mine = [it for it, its in attentions if its == kind]
        if not mine:
            continue
        numbers = _numbers(mine, times, name)
        depth = max(_depth(model, kind), max(numbers) + 1)
        by_layer, key_values = [0] * depth, [None] * depth
        for one, number in zip(mine, numbers, strict=True):
            assert one.weights is not None
            by_layer[number] = one.weights.size(1)
            key_values[number] = one.key_value_heads  # pyright: ignore
        heads[kind], key_value_heads[kind] = tuple(by_layer), tuple(key_values)
        for one, number in zip(mine, numbers, strict=True):
            one.points.layer = number
    for one, kind in attentions:
        assert one.weights is not None
        # The order of calls within a pass is the order in which they were seen.
        layout[one.module].append(Points(kind, one.points.layer, one.weights.size(1)))
    return Learnt(
        form=_form(heads, name),
        layout={module: tuple(places) for module, places in layout.items()},
        heads=heads,
        key_value_heads=key_value_heads,
        ordinals=None if within else {it.module: it.nth for it in seen},
    )


def _kind(one: Seen, watch: Learning, two_towers: bool, name: str) -> Kind:
    assert one.weights is not None
    queries, keys = one.weights.shape[-2:]
    if two_towers:
        sizes: dict[tuple[int, int], Kind] = {
            (SRC, SRC): "encoder_self",
            (TGT, TGT): "decoder_self",
            (TGT, SRC): "cross",
        }
        if (queries, keys) in sizes:
            return sizes[queries, keys]
        wanted = f"{SRC} and {TGT}"
    else:
        if (queries, keys) == (ALONE, ALONE):
            # Rows of padding may look anywhere, so the mask tells more than zeros; here is none.
            cells = (watch.masks or {}).get(("encoder_self", one.points.layer))
            above = one.weights.triu(1).any() if not cells else cells[0].triu(1).any()
            return "encoder_self" if above else "decoder_self"
        wanted = str(ALONE)
    raise GuestError(
        f"{name} attends with {queries} rows and {keys} columns where its text has {wanted} "
        "tokens: what its rows are is not known, so it cannot be drawn",
        "guest_undrawn",
        model=name,
    )


def _is_square(one: Seen) -> bool:
    sizes = ((SRC, SRC), (TGT, TGT), (TGT, SRC), (ALONE, ALONE))
    return one.weights is not None and one.weights.shape[-2:] in sizes


def _numbers(seen: list[Seen], times: Mapping[nn.Module, int], name: str) -> list[int]:
    """The layers' own numbers, where they are told apart by them; else the order of calls.

    A module that is called several times, of a stack that is run through again or of ALBERT's
    groups, has as many layers as there are calls (`times`).
    """
    of = Counter(it.module for it in seen)
    if at_once := [module for module, n in of.items() if n > times[module] > 0]:
        raise GuestError(
            f"{name} computes several attentions in one layer ({type(at_once[0]).__name__}) and "
            "joins them: no one matrix is what a head attends to",
            "guest_undrawn",
            model=name,
        )
    own = [getattr(it.module, "layer_idx", None) for it in seen]
    numbers = [it for it in own if isinstance(it, int)]
    return numbers if len(set(numbers)) == len(seen) else list(range(len(seen)))


def _depth(model: Any, kind: Kind) -> int:
    """How many layers a tower has by its configuration, some of them perhaps without attention."""
    config = model.config
    if config.is_encoder_decoder:
        return 0
    text = config.get_text_config()
    depth = getattr(text, "num_hidden_layers", 0)
    return depth if isinstance(depth, int) and kind == "decoder_self" else 0


def _form(heads: Mapping[Kind, object], name: str) -> Form:
    if {*heads} == {*KINDS}:
        return "encoder-decoder"
    if {*heads} == {"encoder_self"}:
        return "encoder"
    if {*heads} == {"decoder_self"}:
        return "decoder"
    why = f"{name} has attention of {', '.join(heads)} alone, which is no known form"
    raise GuestError(why, "guest_undrawn", model=name)
