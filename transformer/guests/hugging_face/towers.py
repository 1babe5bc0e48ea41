"""Where a guest's layers lie, found by what they hold: attention modules of one kind.

What a layer hands on is read and replaced at its own output, so that norms, scaling and the head
behind the last layer are the family's own code.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from torch import Tensor, nn

from ...errors import GuestError
from ...recording.hooks import attached
from ...trace.kinds import Kind
from .learning import Learnt

Tower = Literal["encoder", "decoder"]
KIND_OF: dict[Tower, Kind] = {"encoder": "encoder_self", "decoder": "decoder_self"}


def layers_of(model: Any, learnt: Learnt, tower: Tower) -> list[nn.Module]:
    """The layers of one tower, in order.

    Raises:
        HeadlightError: they are no list of modules, each with one attention at most.
    """
    kind = KIND_OF[tower]
    modules = [it for it, places in learnt.layout.items() if places[0].kind == kind]
    names: dict[nn.Module, str] = {it: name for name, it in model.named_modules()}
    layers: list[nn.Module] | None = None
    for module in modules:
        path = names[module].split(".")
        for end in range(1, len(path)):
            parent = model.get_submodule(".".join(path[:end]))
            if isinstance(parent, nn.ModuleList):
                if layers is None:
                    layers = list(parent)
                elif list(parent) != layers:
                    raise _unknown(model, tower)
                break
    if layers is None or any(len(places) > 1 for places in learnt.layout.values()):
        raise _unknown(model, tower)
    return layers


def output_of(returned: Any) -> Tensor:
    """The state that a layer hands on, [batch, token, d_model], alone or first of several."""
    return returned if isinstance(returned, Tensor) else returned[0]


def with_output(returned: Any, state: Tensor) -> Any:
    """A layer's return value, with another state [batch, token, d_model] in it."""
    return state if isinstance(returned, Tensor) else (state, *returned[1:])


@contextmanager
def states_kept(layers: Sequence[nn.Module]) -> Iterator[dict[nn.Module, Tensor]]:
    """Keeps the state that each layer hands on, [batch, token, d_model], while the block runs.

    Only passes of this thread count.
    """
    states: dict[nn.Module, Tensor] = {}

    def keep(module: nn.Module, _args: object, returned: Any) -> None:
        states[module] = output_of(returned).detach()

    with attached((layer, keep) for layer in layers):
        yield states


@contextmanager
def states_replaced(changes: Mapping[nn.Module, Callable[[Tensor], None]]) -> Iterator[None]:
    """Changes copies of the states that layers hand on, [batch, token, d_model], in the block.

    Only passes of this thread count.
    """

    def change(module: nn.Module, _args: object, returned: Any) -> Any:
        state = output_of(returned).clone()
        changes[module](state)
        return with_output(returned, state)

    with attached((layer, change) for layer in changes):
        yield


@contextmanager
def embeddings_replaced(model: Any, entered: Sequence[Tensor]) -> Iterator[list[Tensor]]:
    """Hands other vectors on in place of embedded tokens, call by call, while the block runs.

    Args:
        model: of transformers.
        entered: the vectors of the first call, of the second (an encoder-decoder has two), …, each
            [batch, token, d_model]; where there are none, nothing is replaced.
    Yields:
        The embedded vectors, call by call, [batch, token, d_model].
    """
    own = model.get_input_embeddings()
    tables: list[nn.Module] = [own]
    base = getattr(model, "model", model)
    for name in ("encoder", "decoder"):
        table = getattr(getattr(base, name, None), "embed_tokens", None)
        if isinstance(table, nn.Module) and table not in tables:
            tables.append(table)
    seen: list[Tensor] = []

    def replace(_module: nn.Module, _args: object, output: Tensor) -> Tensor | None:
        # Some families go on to change what was embedded in its place.
        seen.append(output.detach().clone())
        return entered[len(seen) - 1].clone() if entered else None

    with attached((table, replace) for table in tables):
        yield seen


def output_weights(model: Any, module: nn.Module, width: int) -> Tensor:
    """W_O of an attention module, [d_model, heads x d_head]: the projection of what heads hand on.

    Args:
        model: of transformers.
        module: the attention.
        width: heads x d_head.
    Raises:
        HeadlightError: none of its children, nor of what it lies in (BERT's), or several, could be
            that.
    """
    name = next(name for name, it in model.named_modules() if it is module)
    for parent in (module, model.get_submodule(name.rpartition(".")[0])):
        matrices: list[Tensor] = []
        children: list[tuple[str, nn.Module]] = [*parent.named_modules()]
        for path, child in children:
            weight = getattr(child, "weight", None)
            if path.split(".")[-1] in OUTPUTS and isinstance(weight, Tensor) and weight.ndim == 2:
                # GPT-2's Conv1D holds [in, out], where a Linear holds [out, in].
                matrices.append(weight.T if type(child).__name__ == "Conv1D" else weight)
        fitting = [it for it in matrices if it.size(1) == width]
        if len(fitting) == 1:
            return fitting[0].detach()
    raise GuestError(
        f"Where {type(module).__name__} projects what its heads hand on is not known, so what "
        "they move cannot be measured",
        "not_offered",
    )


OUTPUTS = {"o_proj", "out_proj", "c_proj", "dense", "o", "out_lin", "wo", "Wo", "out"}


def _unknown(model: Any, tower: Tower) -> GuestError:
    return GuestError(
        f"Where the layers of the {tower} of {type(model).__name__} lie is not known (they may be "
        "one layer, used again), so their states cannot be asked for",
        "not_offered",
    )
