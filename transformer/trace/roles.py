"""What a cell of an attention matrix can stand for: the token itself, a neighbour, what came next.

Shares on these are what a head's role is judged by; see `head_statistics`.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from .kinds import CausalMask, Kind, masked
from .words import EOS, is_punctuation

Cells = npt.NDArray[np.bool_]
Role = Literal[
    "itself", "previous", "next", "induction", "first", "end", "punctuation", "written", "read"
]
ROLES: tuple[Role, ...] = get_args(Role)

FEWEST: Mapping[Role, int] = {"induction": 4}
"""Rows that a role is told from, where it is by chance that a text has any."""

CLEAR = 0.2
"""A role needs so much more attention than a head has for it that attends to all equally."""


def roles_of(kind: Kind) -> tuple[Role, ...]:
    """The roles that heads of a kind can have.

    `written` and `read` align: the source of the word that a row writes, or has just read; see
    `inside.source_links`. Queries and keys of cross-attention are different sentences: no key is a
    query's neighbour; the decoder reads nothing later than the query, and never `</s>`. It alone
    predicts what comes next, so it alone can look up what came next before.
    """
    impossible = {
        "encoder_self": ("induction", "written", "read"),
        "decoder_self": ("next", "end", "written", "read"),
        "cross": ("itself", "previous", "next", "induction"),
    }[kind]
    return tuple(role for role in ROLES if role not in impossible)


def role_cells(
    kind: Kind, num_queries: int, keys: Sequence[str], causal: CausalMask = "kept"
) -> Mapping[Role, Cells]:
    """Which cells stand for which role, each bool [query, key].

    A cell with two names, such as the first token in the second row (first and previous), speaks
    for neither, so a head that rests on the first token is not taken for one that looks back.
    Roles that align are no matter of places, and are not among them.

    "induction" is the token after an earlier copy of the query (Olsson et al. 2022, "In-context
    Learning and Induction Heads"; the pattern of TransformerLens' `detect_head`).

    Args:
        kind: which attention.
        num_queries: number of rows.
        keys: labels of the tokens that can be attended to.
        causal: what is left of the decoder's mask.
    """
    distance = distances(num_queries, len(keys))
    shape = distance.shape
    names: dict[Role, Cells] = {
        "itself": distance == 0,
        "previous": distance == -1,
        "next": distance == 1,
        "induction": after_a_copy(keys[:num_queries]),
        "first": np.broadcast_to(np.arange(len(keys)) == 0, shape),
        "end": np.broadcast_to([key == EOS for key in keys], shape),
        "punctuation": np.broadcast_to([is_punctuation(key) for key in keys], shape),
    }
    hidden = masked(kind, num_queries, len(keys), causal)
    possible: dict[Role, Cells] = {
        role: names[role] & ~hidden for role in roles_of(kind) if role in names
    }
    once = np.stack([*possible.values()]).sum(0) == 1
    return {role: cells & once for role, cells in possible.items()}


def distances(num_queries: int, num_keys: int) -> npt.NDArray[np.int64]:
    """How many tokens after its query each key stands, [query, key]."""
    return np.arange(num_keys, dtype=np.int64) - np.arange(num_queries, dtype=np.int64)[:, None]


def after_a_copy(tokens: Sequence[str]) -> Cells:
    """Which tokens follow an earlier copy of a token, and come no later than it, [query, key]."""
    cells: Cells = np.zeros((len(tokens), len(tokens)), bool)
    for query, token in enumerate(tokens):
        for key in range(1, query + 1):
            cells[query, key] = tokens[key - 1] == token
    return cells
