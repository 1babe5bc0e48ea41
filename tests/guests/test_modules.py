"""`headlight.trace`: any module, against weights that are known from elsewhere."""

import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import headlight
from tests.guests.module_corpus import CASES, Case, furthest, traced
from transformer.trace.guest import Window

IDS = torch.tensor([[1, 5, 9, 4, 7, 3, 8, 6, 2], [1, 6, 2, 9, 5, 0, 0, 0, 0]])
NAMED = {case.name: case for case in CASES}
APART = {
    "cached step by step",
    "unusual_pairs chunks",
    "windows in blocks",
    "windows along diagonals",
}
"""Modules none of whose softmaxes has a whole head."""

FEW = [
    case
    for case in [case for case in CASES if case.name not in APART][::9]
    # One takes a minute, one is refused: its windows are cut in pieces. The slow test has both.
    if not any(name in case.name for name in ("longt5", "longformer"))
]


def watched(*arguments: Any, **options: Any) -> Any:
    return headlight.trace(*arguments, **options)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
@pytest.mark.parametrize("case", FEW, ids=lambda case: case.name)
def test_weights_are_those_that_the_modules_own_softmaxes_gave(case: Case) -> None:
    assert furthest(*traced(case, 11, row=1)) <= 1e-6


@pytest.mark.parametrize("length", [11, 29])
def test_one_softmax_over_both_sides_is_shown_in_two_parts(
    length: int, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, seen = traced(NAMED["course_pairs one big softmax"], length, row=1)
    assert furthest(trace, seen) <= 1e-6
    own, cross = (np.stack(cast(Any, trace.layers(it))) for it in ("decoder_self", "cross"))
    assert cross.shape == (2, 4, length, length + 1)
    np.testing.assert_allclose(own.sum(-1) + cross.sum(-1), 1, atol=1e-6)
    assert "One softmax runs over source and target" in capsys.readouterr().out


def test_a_softmax_with_heads_last_is_turned() -> None:
    assert furthest(*traced(NAMED["head_lists batch second"], 11, row=1)) <= 1e-6


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("length", [11, 29])
def test_nineteen_in_twenty_are_right(length: int) -> None:
    cases = [case for case in CASES if case.name not in APART]
    outcomes = {case.name: outcome(case, length) for case in cases}
    wrong = {name: it for name, it in outcomes.items() if it}
    assert len(cases) >= 190
    assert len(wrong) <= 0.05 * len(cases), wrong
    assert not any(isinstance(it, float) for it in wrong.values()), wrong


def outcome(case: Case, length: int) -> float | str:
    """0 of what is right, else how far it is off; of what cannot be told, the sentence."""
    try:
        distance = furthest(*traced(case, length, row=1))
    except ValueError as error:
        return str(error)
    return distance if distance > 1e-6 else 0.0


@pytest.mark.parametrize(
    ("apart", "whole"),
    [
        ("cached step by step", "cached"),
        ("windows along diagonals", "windows by a mask"),
    ],
)
def test_rows_that_are_computed_apart_are_put_together(apart: str, whole: str) -> None:
    first, second = (cast(Any, traced(NAMED[name], 11)[0]) for name in (apart, whole))
    np.testing.assert_allclose(first.decoder_self, second.decoder_self, atol=1e-6)
    assert first.guest.mask == second.guest.mask


class Pairs(nn.Module):
    """nn.Transformer between embeddings and an output."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 16)
        self.body = nn.Transformer(16, 2, 2, 2, 32, batch_first=True)
        self.out = nn.Linear(16, 20)

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        hidden = src == 0
        x, y = self.words(src), self.words(tgt)
        causal = torch.ones(tgt.size(1), tgt.size(1)).triu(1).bool()
        states = self.body(
            x, y, tgt_mask=causal, src_key_padding_mask=hidden, memory_key_padding_mask=hidden
        )
        return self.out(states)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
def test_torch_transformer_equals_its_own_attention(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    module = Pairs().eval()
    src, tgt = IDS, IDS[:, :8]
    trace = watched(module, src, tgt, pad_id=0, row=1, tgt_tokens=[*"abcdefgh"])
    own: list[Tensor] = []
    plain = F.multi_head_attention_forward

    def asked(*args: Any, **kwargs: Any) -> Any:
        out = plain(*args, **{**kwargs, "need_weights": True, "average_attn_weights": False})
        own.append(cast(Tensor, out[1]))
        return out

    monkeypatch.setattr(F, "multi_head_attention_forward", asked)
    monkeypatch.setattr(torch.backends.mha, "_is_fastpath_enabled", False)
    with torch.no_grad():
        module(src, tgt)
    encoder, decoder = own[:2], own[2:]
    assert trace.guest.form == "encoder-decoder"
    assert trace.guest.origin.by == "module"
    assert (trace.src, trace.src_ids) == (("1", "6", "2", "9", "5"), (1, 6, 2, 9, 5))
    assert (trace.tgt_in, trace.tgt_out) == (tuple("abcde"), (*"bcde", ""))
    for kind, layers, columns in (
        ("encoder_self", encoder, 5),
        ("decoder_self", decoder[::2], 5),
        ("cross", decoder[1::2], 5),
    ):
        expected = torch.stack([it[1, :, :5, :columns] for it in layers])
        np.testing.assert_allclose(getattr(trace, kind), expected, atol=1e-6)
    assert trace.guest.mask_of("encoder_self", 0) is None  # nothing is hidden


@pytest.mark.parametrize("length", [4, 30])
def test_one_attention_equals_the_weights_that_it_returns(length: int) -> None:
    module = nn.MultiheadAttention(16, 4, batch_first=True).eval()
    x = torch.randn(1, length, 16)
    trace = watched(module, x, call=lambda module, x: module(x, x, x)[0])
    _, weights = module(x, x, x, average_attn_weights=False)
    assert trace.guest.form == "encoder"
    np.testing.assert_allclose(trace.encoder_self[0], weights[0].detach(), atol=1e-6)
    assert trace.src == tuple(str(number + 1) for number in range(length))


class Fused(nn.Module):
    """One layer whose attention never hands out its weights."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.qkv = nn.Embedding(20, 16), nn.Linear(16, 48)

    def forward(self, ids: Tensor) -> Tensor:
        projections = self.qkv(self.words(ids)).chunk(3, -1)
        q, k, v = (it.unflatten(-1, (4, 4)).transpose(1, 2) for it in projections)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


@pytest.mark.parametrize("length", [5, 9, 40])
def test_fused_attention_equals_its_formula(length: int) -> None:
    module = Fused()
    ids = torch.randint(20, (1, length))
    trace = watched(module, ids)
    q, k, _ = (
        it.unflatten(-1, (4, 4)).transpose(1, 2)
        for it in module.qkv(module.words(ids)).detach().chunk(3, -1)
    )
    scores = (q @ k.mT / 2).masked_fill(torch.ones(length, length).triu(1).bool(), -torch.inf)
    np.testing.assert_allclose(trace.decoder_self[0], scores.softmax(-1)[0], atol=1e-6)


class Sound(nn.Module):
    """Frames that two strides pool, heard by a decoder."""

    def __init__(self) -> None:
        super().__init__()
        self.pool = nn.Conv1d(3, 16, 3, stride=2, padding=1)
        self.words = nn.Embedding(20, 16)
        self.encode = nn.MultiheadAttention(16, 2, batch_first=True)
        self.decode = nn.MultiheadAttention(16, 2, batch_first=True)
        self.hear = nn.MultiheadAttention(16, 2, batch_first=True)
        self.kept: list[Tensor] = []

    def forward(self, sound: Tensor, ids: Tensor) -> Tensor:
        def ask(layer: nn.Module, a: Tensor, b: Tensor, **options: Any) -> Tensor:
            output, weights = layer(a, b, b, average_attn_weights=False, **options)
            self.kept = [*self.kept, weights]
            return output

        x, y = self.pool(sound).transpose(1, 2), self.words(ids)
        x = ask(self.encode, x, x)
        size = ids.size(1)
        y = ask(self.decode, y, y, attn_mask=torch.ones(size, size).triu(1).bool())
        return ask(self.hear, y, x)


@pytest.mark.parametrize("length", [12, 9])
def test_a_sound_is_told_by_shapes_with_labels_of_ones_own(length: int) -> None:
    torch.manual_seed(0)
    module = Sound().eval()
    sound, ids = torch.randn(1, 3, 24), torch.randint(20, (1, length))
    times = [f"{20 * number} ms" for number in range(12)]
    trace = watched(module, sound, ids, src_tokens=times)
    assert module.kept == []  # left as it was found
    with torch.no_grad():
        module(sound, ids)
    for kind, weights in zip(("encoder_self", "decoder_self", "cross"), module.kept, strict=True):
        np.testing.assert_allclose(getattr(trace, kind)[0], weights[0], atol=1e-6)
    assert trace.src == tuple(times)
    assert trace.guest.words == {"src": tuple(range(12)), "tgt": tuple(range(length))}


class Picture(nn.Module):
    """Patches and a token of the model's own."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = nn.Conv2d(3, 16, 4, 4)
        self.own = nn.Parameter(torch.randn(1, 1, 16))
        self.layers = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2, enable_nested_tensor=False
        )

    def forward(self, picture: Tensor) -> Tensor:
        patches = self.patch(picture).flatten(2).transpose(1, 2)
        return self.layers(torch.cat((self.own.expand(len(patches), -1, -1), patches), 1))[:, 0]


def test_a_pictures_patches_are_its_tokens() -> None:
    torch.manual_seed(0)
    module = Picture()
    picture = torch.randn(2, 3, 12, 12)
    labels = ["CLS", *(f"{row},{column}" for row in range(3) for column in range(3))]
    trace = watched(module, picture, src_tokens=labels, row=1)
    assert module.training
    module.eval()
    assert trace.encoder_self.shape == (2, 2, 10, 10)
    first: Any = module.layers.layers[0]
    with torch.no_grad():
        patches = module.patch(picture).flatten(2).transpose(1, 2)
        x = torch.cat((module.own.expand(2, -1, -1), patches), 1)
        _, weights = first.self_attn(x, x, x, average_attn_weights=False)
    np.testing.assert_allclose(trace.encoder_self[0], weights[1], atol=1e-6)
    with pytest.raises(ValueError, match="src_tokens has 9 labels, but there are 10 tokens"):
        watched(module, picture, src_tokens=labels[1:])


class Written(nn.Module):
    """A softmax that is written out, with one more that no key gets; each head a module."""

    def __init__(self, heads: int = 2) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.parts = nn.ModuleList(
            nn.ModuleList(nn.Linear(8, 4) for _ in "qkv") for _ in range(heads)
        )

    def weights(self, part: Any, x: Tensor) -> Tensor:
        powers = (part[0](x) @ part[1](x).mT / 2).tril().exp().tril()
        return powers / (1 + powers.sum(-1, keepdim=True))

    def forward(self, ids: Tensor) -> Tensor:
        x = self.words(ids)
        return torch.cat([self.weights(it, x) @ it[2](x) for it in cast(Any, self.parts)], -1)


def test_what_a_row_gives_to_no_key_is_its_sink() -> None:
    torch.manual_seed(0)
    module, ids = Written(), IDS[:1]
    trace = watched(module, ids)
    x = module.words(ids)
    expected = torch.cat([module.weights(part, x) for part in module.parts]).detach()
    np.testing.assert_allclose(trace.decoder_self[0], expected, atol=1e-6)
    (sink,) = trace.guest.sink["decoder_self"]
    np.testing.assert_allclose(sink, 1 - expected.sum(-1), atol=1e-6)


def test_padding_that_is_attended_to_shows_as_a_sink() -> None:
    case = NAMED["windows by a mask"]
    ids = torch.cat((torch.zeros(1, 2).long(), IDS[:1]), 1)
    trace = watched(case.build(), ids, pad_id=0)
    assert trace.tgt_in == tuple(str(int(number)) for number in IDS[0])
    assert trace.guest.sink["decoder_self"][0][0, 0] > 0.1
    assert trace.guest.sink["decoder_self"][0][0, 8] == 0


class Linear(nn.Module):
    """Attention without a softmax."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.qkv = nn.Embedding(20, 16), nn.Linear(16, 48)

    def forward(self, ids: Tensor) -> Tensor:
        q, k, v = self.qkv(self.words(ids)).chunk(3, -1)
        return (F.elu(q) + 1) @ (F.elu(k) + 1).mT @ v


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.body = nn.Embedding(20, 16), nn.Linear(16, 16)

    def forward(self, ids: Tensor) -> Tensor:
        return self.body(self.words(ids)).cumsum(1)


class Changed(Fused):
    """One layer whose softmax's result is changed before it meets the values."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how, self.mix = how, nn.Conv2d(4, 4, 1)
        self.weights: list[Tensor] = []

    def forward(self, ids: Tensor) -> Tensor:
        projections = self.qkv(self.words(ids)).chunk(3, -1)
        q, k, v = (it.unflatten(-1, (4, 4)).transpose(1, 2) for it in projections)
        weights = (q @ k.mT / 2).softmax(-1)
        if self.how == "talking heads":
            other = torch.einsum("bhqk,hg->bgqk", weights, self.mix.weight[..., 0, 0])
        elif self.how == "a difference":
            other = weights - 0.5 * (k @ q.mT / 2).softmax(-1)
        else:
            other = self.mix(weights)
        self.weights = [weights]
        return other @ v


class Layer(nn.TransformerEncoderLayer):
    def __init__(self) -> None:
        super().__init__(8, 2, 8, batch_first=True)


class Writes(nn.Module):
    """Goes on with its text, or with one of its own, within its forward."""

    def __init__(self, *, own: bool) -> None:
        super().__init__()
        self.own, self.words, self.layer = own, nn.Embedding(20, 8), Layer()

    def forward(self, ids: Tensor) -> Tensor:
        text = ids.new_zeros(len(ids), 1) if self.own else ids
        for _ in range(3):
            text = torch.cat([text, self.layer(self.words(text)).argmax(-1)[:, -1:]], 1)
        return self.words(ids).sum() + text


class Fails(nn.Module):
    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        return ids + mask


@pytest.mark.parametrize(
    ("module", "options", "sentence"),
    [
        (Linear(), {}, "seen instead: 1 product of tokens with tokens, but no softmax over one"),
        (Recurrent(), {}, "seen instead: no product of tokens with tokens at all"),
        (Changed("a convolution"), {}, "seen instead: 1 softmax over scores.*itself multiplies"),
        (Writes(own=False), {}, r"Writes writes .* in layer\.self_attn .*Hand in one pass over"),
        (Writes(own=True), {}, r"Writes writes a text within its forward"),
        (Fails(), {}, r"could not be called as module\(src\).*hand in call=lambda"),
        (Fused(), {"src": torch.tensor([1, 2])}, r"src has shape \(2,\); expected ids"),
        (Fused(), {"src": IDS.to_sparse()}, r"src is a sparse tensor: hand in its .to_dense\(\)"),
        (Fused(), {"src": IDS.to("meta")}, "src lies on the meta device, where tensors have no"),
        (Fused(), {"src": IDS > 3}, "src holds bool; expected ids, or numbers with a fraction"),
        (Fused(), {"row": None}, "row=None, but src has 2 rows"),
        (Layer(), {"src": torch.ones(1, 3, 8) * torch.nan}, "layer 1 .* gives nothing but NaN"),
        (Fused(), {"row": 2}, "row=2, but src has 2 rows"),
        (Fused(), {"kind": "tower"}, "kind must be"),
        (Fused(), {"src_tokens": ["a", "b"]}, "src_tokens has 2 labels, but there are 9 tokens"),
        (Fused(), {"row": "0"}, "row='0', but src has 2 rows"),
        (Fused(), {"src_tokens": [["a"] * 9], "row": 1}, "has labels of 1 texts, but row=1"),
        (Fused(), {"src": IDS * 0, "pad_id": np.int64(0)}, "src has no token but padding, 0"),
        (nn.LazyLinear(3), {}, "get their sizes by a first call"),
    ],
)
def test_what_cannot_be_told_is_a_sentence(
    module: nn.Module, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        watched(module, **{"src": IDS, **options})


@pytest.mark.parametrize("length", [5, 12])
@pytest.mark.parametrize("how", ["talking heads", "a difference"])
def test_weights_that_are_changed_before_the_values_are_told(
    how: str, length: int, capsys: pytest.CaptureFixture[str]
) -> None:
    module, ids = Changed(how), torch.randint(20, (1, length))
    trace = watched(module, ids)
    output = capsys.readouterr().out
    assert "Shown is what a softmax gave. It is changed before it meets the values" in output
    assert ("1 softmax(es) more" in output) == (how == "a difference")
    assert trace.model == "Changed (a softmax that is changed afterwards)"
    module(ids)
    np.testing.assert_allclose(trace.encoder_self[0], module.weights[0][0].detach(), atol=1e-6)
    watched(Fused(), ids)
    assert not capsys.readouterr().out


def test_weights_of_a_gigabyte_are_refused_before_they_are_computed() -> None:
    module = Fused()
    with pytest.raises(ValueError, match=r"take 1\.6 GB, more than 1: a shorter text fits"):
        watched(module, torch.ones(1, 10_000, dtype=torch.long))


@pytest.mark.parametrize("name", ["annotated", "cached", "library"])
@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
def test_a_module_is_left_as_it_was_found(name: str) -> None:
    case = NAMED[name]
    module = case.build()
    before = {key: value.clone() for key, value in module.state_dict().items()}
    modules, generator = repr(module), torch.get_rng_state()
    src, tgt = case.inputs(20)
    watched(module.train(), src, tgt, call=case.call)
    assert module.training
    assert repr(module) == modules
    assert torch.equal(torch.get_rng_state(), generator)
    assert all(torch.equal(value, before[key]) for key, value in module.state_dict().items())
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in module.modules())


def test_threads_may_share_a_module() -> None:
    layer = nn.TransformerEncoderLayer(16, 2, 16, batch_first=True)
    module = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    inputs = [torch.randn(1, 4 + at % 3, 16) for at in range(12)]
    alone = [headlight.trace(module, it).encoder_self for it in inputs]
    with ThreadPoolExecutor(6) as pool:
        together = [*pool.map(lambda it: headlight.trace(module, it).encoder_self, inputs)]
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_array_equal(one, other)


def test_half_precision_is_told() -> None:
    trace = watched(Fused().bfloat16(), IDS)
    assert trace.guest.origin.dtype == "bfloat16"
    assert math.isclose(float(trace.decoder_self[0, 0, 3].sum()), 1, abs_tol=8e-3)


def test_windows_are_named_and_lookahead_makes_an_encoder() -> None:
    windows = watched(NAMED["windows by a mask"].build(), IDS[:1])
    assert windows.guest.mask["decoder_self"] == Window(5)
    encoder = watched(NAMED["bidirectional"].build(), IDS[:1])
    assert encoder.guest.form == "encoder"
    as_decoder = watched(NAMED["bidirectional"].build(), IDS[:1], kind="decoder")
    assert as_decoder.guest.mask["decoder_self"] == "none"


WITHOUT_TORCH = """
import sys, headlight
assert "torch" not in sys.modules
sys.modules["torch"] = None
try:
    headlight.trace(None, None)
except ImportError as error:
    print(error)
"""


def test_importing_brings_no_torch_along_and_what_is_missing_is_said() -> None:
    command = [sys.executable, "-c", WITHOUT_TORCH]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == (
        "headlight.trace needs PyTorch, which is not installed: pip install torch\n"
    )
