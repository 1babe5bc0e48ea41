"""What decoders of this year do on purpose is no mistake; the mistakes in them are still named."""

import math

import pytest
import torch
from torch import Tensor, nn

from transformer import check

WIDTH, HEADS, VOCAB = 32, 4, 30
HEAD = WIDTH // HEADS


class Block(nn.Module):
    """A decoder layer; `does` names what it does otherwise than GPT-2."""

    def __init__(self, *does: str) -> None:
        super().__init__()
        self.does = does
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.network = nn.Sequential(nn.Linear(WIDTH, 64), nn.GELU(), nn.Linear(64, WIDTH))
        self.before, self.after = nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)
        norm = nn.LayerNorm if "layer norm" in does else nn.RMSNorm
        self.query_norm, self.key_norm = norm(HEAD), norm(HEAD)
        self.sink = nn.Parameter(torch.zeros(HEADS))

    def attend(self, x: Tensor) -> Tensor:
        key = self.query if "one matrix" in self.does else self.key
        query, key, value = (
            project(x).unflatten(-1, (HEADS, HEAD)).transpose(1, 2)
            for project in (self.query, key, self.value)
        )
        if "rotary" in self.does:
            angle = torch.arange(x.size(1))[:, None] / 10 ** torch.arange(HEAD // 2)
            turn = torch.polar(torch.ones_like(angle), angle)
            query, key = (
                torch.view_as_real(
                    torch.view_as_complex(side.unflatten(-1, (-1, 2))) * turn
                ).flatten(-2)
                for side in (query, key)
            )
        if "normed queries and keys" in self.does:
            query, key = self.query_norm(query), self.key_norm(key)
        scores = query @ key.transpose(-1, -2) / math.sqrt(HEAD)
        later = torch.ones(x.size(1), x.size(1), dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
        if "sink" in self.does:
            rest = self.sink[:, None, None].expand(len(x), -1, x.size(1), 1)
            scores = torch.cat([scores, rest], -1)
        over = 1 if "softmax over heads" in self.does else -1
        weights = scores.softmax(over)[..., : x.size(1)]
        return self.out((weights @ value).transpose(1, 2).flatten(2))

    def forward(self, x: Tensor) -> Tensor:
        if "branches normed" in self.does:
            x = x + self.before(self.attend(x))
            branch = self.network(x)
            return x + (branch if "one bare" in self.does else self.after(branch))
        x = x + self.attend(self.before(x))
        return x + self.network(self.after(x))


class Decoder(nn.Module):
    def __init__(self, *does: str) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(VOCAB, WIDTH), nn.Embedding(64, WIDTH)
        self.layers = nn.ModuleList(Block(*does) for _ in range(2))
        self.norm = nn.Identity() if "no last norm" in does else nn.RMSNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCAB)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.words(ids) + self.places(torch.arange(ids.size(1)))
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


NORMED = "normed queries and keys"


@pytest.mark.parametrize(
    "does",
    [
        (NORMED,),
        (NORMED, "layer norm"),
        (NORMED, "rotary"),
        ("rotary",),
        ("sink",),
        ("branches normed",),
        ("branches normed", NORMED, "rotary", "sink"),
    ],
    ids=" + ".join,
)
def test_what_is_usual_is_no_mistake(does: tuple[str, ...]) -> None:
    torch.manual_seed(0)
    report = check(Decoder(*does), torch.randint(3, VOCAB, (4, 9)))
    assert (report.codes, report.problems) == ((), ())


@pytest.mark.parametrize(
    ("does", "code"),
    [
        ((NORMED, "one matrix"), "key_from_query"),
        (("rotary", "one matrix"), "key_from_query"),
        (("sink", "softmax over heads"), "softmax_axis"),
        (("branches normed", "one bare"), "norm_missing"),
        (("branches normed", "no last norm"), "norm_missing"),
    ],
    ids=str,
)
def test_a_mistake_beside_it_is_named(does: tuple[str, ...], code: str) -> None:
    torch.manual_seed(0)
    report = check(Decoder(*does), torch.randint(3, VOCAB, (4, 9)))
    assert report.codes == (code,)
