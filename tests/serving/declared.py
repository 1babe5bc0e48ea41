"""Answers held against what the protocol declares of them, to their leaves."""

from typing import Any, cast

from scripts.protocol import PACKED, protocol


def check_fields(record: Any, declared: dict[str, Any], sizes: dict[str, int]) -> None:
    """All fields of an answer, or of a record in one."""
    assert record.keys() == declared.keys()
    for name, value in record.items():
        check(value, declared[name], sizes)


def check(value: Any, declared: dict[str, Any], sizes: dict[str, int]) -> None:
    """One field: its type, and its axes, of which those of one name are of one size."""
    if value is None:
        assert declared["nullable"]
        return
    each = [*value.values()] if declared["by"] else [value]
    for one in each:
        if declared["dtype"] in PACKED:
            assert one["dtype"] == declared["dtype"]
            shape = one["shape"]
        else:
            shape, leaves = shape_of(one, len(declared["axes"]))
            for leaf in leaves:
                check_leaf(leaf, declared, sizes)
        assert len(shape) == len(declared["axes"])
        for axis, size in zip(declared["axes"], shape, strict=True):
            if not declared["by"] and size is not None:
                assert sizes.setdefault(axis, size) == size, axis


TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "integer": (int,),
    "number": (int, float),
    "number_or_null": (int, float, type(None)),
    "text_or_null": (str, type(None)),
    "flag": (bool,),
}


def check_leaf(leaf: Any, declared: dict[str, Any], sizes: dict[str, int]) -> None:
    """A value of its type, or a record of one of those that it may be."""
    if of := TYPES.get(declared["dtype"]):
        assert isinstance(leaf, of)
        assert leaf in declared.get("values", [leaf])
        return
    known = [protocol()["records"][name] for name in declared["dtype"].split("|")]
    fitting = [fields for fields in known if fields.keys() == leaf.keys()]
    assert len(fitting) == 1, declared["dtype"]
    check_fields(leaf, fitting[0], {**sizes})  # each record has axes of its own


def shape_of(value: object, axes: int) -> tuple[list[int | None], list[object]]:
    """The size of each axis of nested lists, None where they are ragged along it; the leaves."""
    shape: list[int | None] = []
    level = [value]
    for _ in range(axes):
        assert all(isinstance(each, list | tuple) for each in level)
        lists = cast(list[list[object]], level)
        lengths = {len(each) for each in lists}
        shape.append(lengths.pop() if len(lengths) == 1 else None)
        level = [item for each in lists for item in each]
    return shape, level
