"""Records a forward pass below autograd, where every style of writing comes down to the same few
operations: `@`, einsum and `nn.Linear` to bmm and mm, every attention to a product, a softmax and
another product.
"""

from functools import cache
from typing import Any, cast

from torch import Tensor, nn

from .dispatch import Placed
from .graph import RANDOM, Graph, Node, Operand
from .rules import Rules
from .shadow import Shadow, storage_key
from .tokens import Tokens


class Recorder(Placed):
    """Notes every operation while it is entered; `graph` is what it has noted."""

    def __init__(self, module: nn.Module, tokens: Tokens) -> None:
        super().__init__(module)
        self.graph = Graph()
        self.rules = Rules(self.graph)
        self.rules.num_src = tokens.num_src
        self.shadow = Shadow()
        self.handed: list[tuple[str, nn.Module, Tensor]] = []
        self._writers: dict[int, tuple[int, ...]] = {}
        self._seen: dict[int, list[Operand]] = {}
        self._alive: list[Tensor] = []
        for ids in (tokens.src, tokens.tgt):
            if ids is not None:
                self._alive.append(ids)
                self.shadow.write(ids, tokens.labels(ids))

    def operation(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Runs one operation and notes it."""
        name, mutates = _called(func)
        seen: list[Operand] = []
        noted: tuple[tuple[Any, ...], dict[str, Any]] = (), {}
        if mutates:  # what it reads is noted before it is overwritten
            noted = tuple(self._note(args, seen)), self._note(kwargs, seen)
            for tensor in _tensors(args[:1]):
                self._protect(storage_key(tensor))
        result = func(*args, **kwargs)
        new = [t for t in _tensors(result) if t.numel()]
        if not mutates and new:
            before = {storage_key(t) for t in _tensors((args, kwargs))}
            new = [t for t in new if storage_key(t) not in before]
        if not new:
            return result
        if not mutates:
            noted = tuple(self._note(args, seen)), self._note(kwargs, seen)
        index = len(self.graph.nodes)
        output = Operand(new[0], new[0].detach(), None, (index,))
        self._keep(Node(index, name, *noted, seen, output, mutates, self.place), func, new)
        return result

    def _keep(self, node: Node, func: Any, new: list[Tensor]) -> None:
        """Notes what an operation made: its labels, and who wrote it."""
        output, index = node.output, node.index
        output.labels = self.rules.after(node, func, new[0])
        if output.labels is not None:
            output.labels = output.labels.expand(new[0].shape)
        self.graph.nodes.append(node)
        random = self.graph.random
        if node.name in RANDOM:
            random.add(index)
        elif random and output.labels is None:
            if any(not random.isdisjoint(o.writers) for o in node.operands if o.labels is None):
                random.add(index)
        self.shadow.write(new[0], output.labels)
        for tensor in new:
            key = storage_key(tensor)
            self._writers[key] = (*self._writers.get(key, ()), index)
            self._alive.append(tensor)
        self._seen.setdefault(storage_key(new[0]), []).append(output)

    def writers(self, tensor: Tensor) -> tuple[int, ...]:
        """The operations that wrote a tensor of any shape; none if the recording is younger."""
        return self._writers.get(storage_key(tensor), ())

    def _note(self, argument: Any, seen: list[Operand]) -> Any:
        if isinstance(argument, Tensor):
            key = storage_key(argument)
            operand = Operand(
                argument, argument.detach(), self.shadow.read(argument), self._writers.get(key, ())
            )
            self._alive.append(argument)
            self._seen.setdefault(key, []).append(operand)
            seen.append(operand)
            return operand
        if isinstance(argument, list | tuple):
            return [self._note(a, seen) for a in argument]  # pyright: ignore[reportUnknownVariableType]
        if isinstance(argument, dict):
            named = cast(dict[str, Any], argument)
            return {name: self._note(a, seen) for name, a in named.items()}
        return argument

    def _protect(self, key: int) -> None:
        """Numbers that are about to be overwritten are kept as they were."""
        for operand in self._seen.pop(key, []):
            operand.value = operand.value.clone()

    def left(self, module: nn.Module, output: Any) -> None:
        """Notes the tensors that a submodule has handed out."""
        for tensor in _tensors((output,)):
            self.handed.append((self.names[id(module)], module, tensor))


@cache
def _called(func: Any) -> tuple[str, bool]:
    """An operation's name, as aten has it without overload, and whether it writes in place."""
    return func._schema.name.removeprefix("aten::"), bool(func._schema.is_mutable)


def _tensors(values: Any) -> list[Tensor]:
    if isinstance(values, Tensor):
        return [values]
    if isinstance(values, dict):
        values = list(values.values())  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(values, list | tuple):
        return [t for v in values for t in _tensors(v)]  # pyright: ignore[reportUnknownVariableType]
    return []
