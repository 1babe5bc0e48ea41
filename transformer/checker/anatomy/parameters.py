"""Parameters that never matter: of layers that are not run, unused, or made anew in each pass."""

import re

from torch import nn

from ..basis.clues import Clues
from ..operations.graph import Graph, Node, Operand
from ..operations.recorder import named_parts
from ..operations.shadow import storage_key
from .attention import Attention

LIBRARIES = ("torch.", "transformers.")
NUMBER = re.compile(r"(?<=\.)\d+(?=\.)|^\d+(?=\.)")


def judge_made_in_forward(graph: Graph, clues: Clues) -> None:
    """`made_in_forward`: a matrix or table of fresh random numbers, which no optimiser knows."""
    for node in graph.nodes:
        table = _table(graph, node)
        if table is not None and set(table.writers) & graph.random:
            shape = " × ".join(str(size) for size in table.tensor.shape)
            clues.add("made_in_forward", "made_in_forward", place=node.place, shape=shape)
            return


def _table(graph: Graph, node: Node) -> Operand | None:
    if graph.is_linear(node):
        return graph.weight(node)
    return node.args[0] if node.name == "embedding" else None


def judge_unused(
    graph: Graph,
    module: nn.Module,
    attentions: list[Attention],
    behind: set[int],
    clues: Clues,
) -> None:
    """`layers_not_run` and `parameter_unused`.

    Args:
        graph: the recording.
        module: whose parameters are looked for.
        attentions: of the recording.
        behind: the operations that what the module returned depends on.
        clues: to add to.
    """
    read = {storage_key(o.tensor) for i in behind for o in graph.nodes[i].operands}
    parameters = list(module.named_parameters(remove_duplicate=False))
    used = [name for name, p in parameters if storage_key(p) in read]
    unused = [(name, p) for name, p in parameters if storage_key(p) not in read and p.numel()]
    places = [
        [source.linear.place for source in attention.sources if source.linear is not None]
        for attention in attentions
    ]
    for name, _ in unused:
        for match in NUMBER.finditer(name):
            container, ours = name[: match.start()], name[: match.end()]
            others = {
                container + found.group(0)
                for other in used
                if (found := NUMBER.match(other, match.start())) and other.startswith(container)
            }
            layers = {other for other in others if _holds(places, other)}
            if layers and ours not in others:
                total = len({n[: m.end()] for n, _ in parameters if (m := _number(n, container))})
                where = container.rstrip(".") or "?"
                clues.add(
                    "layers_not_run", "layers_not_run", place=where, ran=len(others), all=total
                )
                return
    routed = any(node.name == "topk" for node in graph.nodes)
    library = type(module).__module__.startswith(LIBRARIES)
    if routed or library:
        return  # an expert that no token was sent to; what a library leaves out is meant
    spare = _spare(module, {name for name, _ in unused})
    matrices = [name for name, p in parameters if p.dim() > 1 and name in used]
    of_use = [
        name for name, p in unused if p.dim() > 1 and name not in spare and _beside(name, matrices)
    ]
    if of_use:
        names = ", ".join(of_use[:3]) + (", …" if len(of_use) > 3 else "")
        clues.add("parameter_unused", "parameter_unused", names=names, number=len(of_use))


def _number(name: str, container: str) -> re.Match[str] | None:
    return NUMBER.match(name, len(container)) if name.startswith(container) else None


def _holds(places: list[list[str]], layer: str) -> bool:
    """Whether all matrices of an attention lie in a layer."""
    return any(
        projections and all(f"{place}.".startswith(f"{layer}.") for place in projections)
        for projections in places
    )


def _beside(name: str, used: list[str]) -> bool:
    """Whether a matrix stands in one sublayer with others that are used: it was meant to be, too.

    What stands alone may belong to another configuration, or be used outside of the model.
    """
    owner, _, own = name.rpartition(".")
    sublayer = owner.rpartition(".")[0] if own == "weight" else owner
    return bool(sublayer) and any(other.startswith(sublayer + ".") for other in used)


def _spare(module: nn.Module, unused: set[str]) -> set[str]:
    """What another part of the same make does use: one class may serve encoder and decoder."""
    makes: dict[object, list[tuple[str, set[str]]]] = {}
    for place, part in named_parts(module):
        names = {name for name, _ in part.named_parameters()}
        if place and not (names and type(part).__module__.startswith("torch.") and _plain(part)):
            makes.setdefault((type(part), frozenset(names)), []).append((place, names))
    found = set[str]()
    for parts in makes.values():
        used = {n for place, names in parts for n in names if f"{place}.{n}" not in unused}
        found |= {f"{place}.{n}" for place, names in parts for n in names & used}
    return found


def _plain(part: nn.Module) -> bool:
    """Whether it is one of PyTorch's layers and not a container of the stranger's."""
    return not isinstance(part, nn.ModuleDict | nn.ModuleList | nn.Sequential)
