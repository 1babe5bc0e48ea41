"""Several heads in one table: where they share keys, their queries may stand in one column."""

from dataclasses import replace

import torch
from torch import Tensor

from .attention import Attention
from .batches import distinct
from .tokens import Tokens


def heads_in_rows(tokens: Tokens, rows: Tensor) -> Tensor | None:
    """The order that puts the rows of each head together, where several heads share one table.

    Where all heads read the same keys, their queries may stand in one column, in whatever order.

    Args:
        tokens: of the batch.
        rows: the token of each row, [row].
    Returns:
        [head, row of the head], places in `rows`; None if each token stands there only once, or
        not all of a sentence as often.
    """
    each = distinct(rows)
    heads = len(rows) // max(len(each), 1)
    if heads < 2 or each[0] < 0 or not bool((rows.bincount()[each] == heads).all()):
        return None
    of_source = tokens.src is not None and each[0] < tokens.num_src
    length = (tokens.src if of_source and tokens.src is not None else tokens.tgt).size(1)
    if len(each) != length or len(distinct(tokens.sentence(torch.tensor(each)))) > 1:
        return None
    return rows.argsort(stable=True).view(len(each), heads).T


def unfold_heads(attention: Attention) -> Attention:
    """An attention in which each head has rows of its own."""
    orders = [heads_in_rows(attention.tokens, row) for row in attention.query]
    ordered = [order for order in orders if order is not None]
    if not ordered or len(ordered) < len(orders) or len({order.shape for order in ordered}) > 1:
        return attention
    order = torch.stack(ordered)  # [n, head, row]
    heads = order.size(1)

    def table(whole: Tensor) -> Tensor:
        at = torch.arange(len(whole))[:, None, None]
        return whole[at, order].flatten(0, 1)

    def again(whole: Tensor) -> Tensor:
        return whole.repeat_interleave(heads, 0)

    a = attention
    return replace(
        a,
        **{name: table(getattr(a, name)) for name in ("cells", "dots", "scores", "weights")},
        **{name: table(getattr(a, name)) for name in ("used", "row_sums", "query")},
        **{name: again(getattr(a, name)) for name in ("key", "value")},
        queries=table(a.queries) if a.queries.shape[:2] == a.query.shape else a.queries,
        keys=again(a.keys) if len(a.keys) == len(a.key) else a.keys,
        values=again(a.values) if len(a.values) == len(a.value) else a.values,
    )
