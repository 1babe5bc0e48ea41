"""Parameters that never matter: of layers that are not run, unused, or made anew in each pass."""

import re

from torch import nn
from torch.nn.parameter import is_lazy

from ...eyes.attention import Attention
from ...eyes.dispatch import named_parts
from ...eyes.graph import Graph, Node, Operand
from ...eyes.shadow import storage_key
from ..basis.clues import Clues

LIBRARIES = ("torch.", "transformers.")
NUMBER = re.compile(r"(?<=\.)\d+(?=\.)|^\d+(?=\.)")


def learned_storages(module: nn.Module) -> set[int]:
    """Storages of the numbers that an optimiser changes."""
    return {storage_key(p) for p in module.parameters() if p.requires_grad and not is_lazy(p)}


def judge_made_in_forward(graph: Graph, clues: Clues) -> None:
    """`made_in_forward`: a matrix or table of fresh random numbers, which no optimiser knows."""
    for node in graph.nodes:
        table = _table(graph, node)
        if table is not None and set(table.writers) & graph.random:
            shape = " × ".join(str(size) for size in table.tensor.shape)
            clues.add("made_in_forward", place=node.place, shape=shape)
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
    # What is lazy was never called, and has no storage yet.
    used = [name for name, p in parameters if not is_lazy(p) and storage_key(p) in read]
    counted = set(used)
    unused = [(n, p) for n, p in parameters if n not in counted and (is_lazy(p) or p.numel())]
    places = _projections(graph, parameters, attentions)
    beside = _lists_beside([name for name, _ in unused], used, places)
    if beside is not None:
        clues.add("layers_not_run", **beside)
        return
    for name, _ in unused:
        for match in NUMBER.finditer(name):
            container, ours = name[: match.start()], name[: match.end()]
            others = {
                container + again.group(0)
                for other in used
                if (again := NUMBER.match(other, match.start())) and other.startswith(container)
            }
            layers = {other for other in others if _holds(places, other)}
            if layers and ours not in others:
                total = len({n[: m.end()] for n, _ in parameters if (m := _number(n, container))})
                where = container.rstrip(".") or "?"
                clues.add("layers_not_run", place=where, ran=len(others), all=total)
                return
    routed = any(node.name == "topk" for node in graph.nodes)
    library = type(module).__module__.startswith(LIBRARIES)
    if routed or library:
        return  # an expert that no token was sent to; what a library leaves out is meant
    spare = _spare(module, {name for name, _ in unused})
    matrices = [name for name, p in parameters if name in counted and p.dim() > 1]
    of_use = [
        name
        for name, p in unused
        if (is_lazy(p) or p.dim() > 1) and name not in spare and _beside(name, matrices)
    ]
    if of_use:
        names = ", ".join(of_use[:3]) + (", …" if len(of_use) > 3 else "")
        clues.add("parameter_unused", names=names, number=len(of_use))


def _number(name: str, container: str) -> re.Match[str] | None:
    return NUMBER.match(name, len(container)) if name.startswith(container) else None


Projections = list[list[set[str]]]
"""Places where each matrix of each attention ran, and the parameters within it."""


def _projections(
    graph: Graph, parameters: list[tuple[str, nn.Parameter]], attentions: list[Attention]
) -> Projections:
    names: dict[int, set[str]] = {}
    for name, parameter in parameters:
        if not is_lazy(parameter):
            names.setdefault(storage_key(parameter), set()).add(name)

    def of(linear: Node) -> set[str]:
        weight = graph.weight(linear)
        behind = [o for i in graph.before(weight) for o in graph.nodes[i].operands]
        keys = {storage_key(operand.tensor) for operand in [weight, *behind]}
        return set[str]().union({linear.place}, *(names.get(key, set()) for key in keys))

    return [
        [of(source.linear) for source in attention.sources if source.linear is not None]
        for attention in attentions
    ]


def _holds(places: Projections, layer: str) -> bool:
    """Whether all matrices of an attention lie in a layer."""
    return any(
        projections
        and all(any(f"{name}.".startswith(f"{layer}.") for name in names) for names in projections)
        for projections in places
    )


def _lists_beside(
    unused: list[str], used: list[str], places: Projections
) -> dict[str, int | str] | None:
    """Where a layer is one place in each of several lists: the lists of those that are not run."""
    runs: dict[str, set[str]] = {}
    idle: dict[str, set[str]] = {}
    for names, lists in ((used, runs), (unused, idle)):
        for name in names:
            if match := NUMBER.search(name):
                lists.setdefault(name[: match.start()], set()).add(match.group(0))
    idle = {name: numbers - runs[name] for name, numbers in idle.items() if name in runs}
    idle = {name: numbers for name, numbers in idle.items() if numbers}
    for projections in places:
        lists = [
            {name[: match.start()] for name in names if (match := NUMBER.search(name))} & set(idle)
            for names in projections
        ]
        apart = sorted(set[str]().union(*lists))
        if len(apart) > 1 and all(lists) and len({frozenset(idle[name]) for name in apart}) == 1:
            ran, first = len(runs[apart[0]]), apart[0]
            where = ", ".join(name.rstrip(".") for name in apart)
            return {"place": where, "ran": ran, "all": ran + len(idle[first])}
    return None


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
    spare = set[str]()
    for parts in makes.values():
        used = {n for place, names in parts for n in names if f"{place}.{n}" not in unused}
        spare |= {f"{place}.{n}" for place, names in parts for n in names & used}
    return spare


def _plain(part: nn.Module) -> bool:
    """Whether it is one of PyTorch's layers and not a container of the stranger's."""
    return not isinstance(part, nn.ModuleDict | nn.ModuleList | nn.Sequential)
