"""One row of a head made to look elsewhere, against PyTorch's own attention with a mask."""

from typing import Any, cast

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tests.reference import TorchTransformer
from tests.tiny import BOS, num_hooks, random_ids, tiny_model
from transformer import HeadlightError, Transformer, Translator, inside, intervene, record
from transformer.trace.changes import read_interventions, without_tokens
from transformer.trace.interventions import Intervention
from transformer.trace.kinds import KINDS, Kind
from transformer.trace.packing import Weights
from transformer.trace.trace import AttentionTrace
from transformer.translator import TraceRequest

SRC, TGT = random_ids(1, 2, 6), random_ids(2, 2, 5)
TGT[:, 0] = BOS
SOURCE = "The cat sleeps on the warm bed."


def logits_of(model: Transformer, *texts: str) -> Tensor:
    with intervene(model, map(Intervention.parse, texts)):
        return model(SRC, TGT)


def weights_of(trace: AttentionTrace, kind: Kind) -> Weights:
    weights = trace.of(kind)
    assert weights is not None
    return weights


class Aimed:
    """PyTorch's attention modules of one kind with all keys of a row masked but one."""

    def __init__(
        self, theirs: TorchTransformer, kind: Kind, where: Any, row: int, key: int
    ) -> None:
        layers = {
            "encoder_self": [m.self_attn for m in theirs.transformer.encoder.layers],
            "decoder_self": [m.self_attn for m in theirs.transformer.decoder.layers],
            "cross": [m.multihead_attn for m in theirs.transformer.decoder.layers],
        }[kind]
        self.heads, self.row, self.key = where[1], row, key
        for module in layers if where[0] is None else [layers[where[0]]]:
            cast(nn.Module, module).register_forward_pre_hook(self._mask, with_kwargs=True)

    def _mask(self, module: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        query, key = args[0], args[1]
        length, width = query.size(1), key.size(1)
        mask = torch.zeros(query.size(0), module.num_heads, length, width)
        if (given := kwargs.get("attn_mask")) is not None:
            mask = mask.masked_fill(given.bool(), -torch.inf)
        heads = slice(None) if self.heads is None else self.heads
        mask[:, heads, self.row, torch.arange(width) != self.key] = -torch.inf
        mask = mask.flatten(0, 1)
        return args, kwargs | {"attn_mask": mask, "key_padding_mask": None, "is_causal": False}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "where"), [("", (None, None)), (".L2", (1, None)), (".L1H3", (0, 2))]
)
def test_a_row_aimed_at_a_key_is_a_row_whose_other_keys_are_masked(
    kind: Kind, name: str, where: tuple[int | None, int | None]
) -> None:
    model = cast(Transformer, tiny_model())
    theirs = TorchTransformer(model)
    Aimed(theirs, kind, where, row=3, key=1)
    got = logits_of(model, f"{kind}{name}@4=aim:2")
    torch.testing.assert_close(got, theirs(SRC, TGT), atol=1e-4, rtol=1e-4)
    if kind != "encoder_self":
        # What was decided before that step is what it was; the step itself is not.
        plain = logits_of(model)
        assert torch.equal(got[:, :3], plain[:, :3])
        assert not torch.allclose(got[:, 3], plain[:, 3], atol=1e-3)
    assert num_hooks(model) == 0


def test_several_keys_share_equally() -> None:
    model = cast(Transformer, tiny_model())
    sites = ("scores", "weights", "value", "attended")
    with torch.inference_mode(), record(model, sites) as recording:
        logits_of(model, "cross.L2H3@4=aim:2,3,6", "temperature=3")
    shares = torch.tensor([0, 1, 1, 0, 0, 1]) / 3
    weights, values = recording.weights["cross"][1], recording.at("cross", "value")[1]
    torch.testing.assert_close(weights[:, 2, 3], shares.expand(2, 6))
    attended = recording.at("cross", "attended")[1][:, 2, 3]
    torch.testing.assert_close(attended, values[:, 2, [1, 2, 5]].mean(1))
    # The rest is the softmax of its own scores, by hand.
    for head in (0, 1, 3):
        scores = recording.scores["cross"][1][:, head, 3].double()
        by_hand = scores.exp() / scores.exp().sum(-1, keepdim=True)
        torch.testing.assert_close(weights[:, head, 3].double(), by_hand, atol=1e-6, rtol=0)


CHANGES = [
    *("cross@4=aim:3", "cross.L2H1@2=aim:1,2", "decoder_self@5=aim:2", "encoder_self.L1@3=aim:7"),
    *("cross@3=zero", "decoder_self.L1H2@4=uniform", "cross.L2@1=first", "decoder_self@1=aim:1"),
]


@pytest.mark.parametrize("name", ["translator", "continuer"])
def test_step_by_step_is_what_one_recorded_pass_is(
    name: str, request: pytest.FixtureRequest
) -> None:
    translator: Translator = request.getfixturevalue(name)
    alone = translator.config.decoder_only
    for changes in [[c] for c in CHANGES] + [CHANGES]:
        kept = [c for c in changes if not alone or c.startswith("decoder_self")]
        trace = translator.trace(SOURCE, interventions=kept, max_steps=8)
        assert [str(c) for c in trace.interventions] == kept
        replayed = translator.replay(SOURCE, trace.tgt_ids, kept)
        for kind, layers in replayed.weights.items():
            np.testing.assert_allclose(weights_of(trace, kind), torch.cat(layers), atol=1e-5)


def test_a_step_is_changed_and_those_before_it_are_not(translator: Translator) -> None:
    plain = translator.trace(SOURCE, max_steps=8)
    step = 3
    changed = translator.trace(SOURCE, interventions=["cross@4=aim:5"], max_steps=8)
    assert changed.tgt_ids[:step] == plain.tgt_ids[:step]
    assert changed.candidates[:step] == plain.candidates[:step]
    before, after = weights_of(plain, "cross"), weights_of(changed, "cross")
    np.testing.assert_allclose(after[:, :, :step], before[:, :, :step], atol=1e-6)
    assert (after[:, :, step, 4] == 1).all()
    assert changed.candidates[step] != plain.candidates[step]
    # A prefix is read in one pass, of which the step may be any row.
    prefix = plain.tgt_ids[:6]
    forced = translator.trace(SOURCE, prefix=prefix, interventions=["cross@4=aim:5"], max_steps=2)
    again = weights_of(forced, "cross")
    assert (again[:, :, step, 4] == 1).all()
    np.testing.assert_allclose(again[:, :, :step], before[:, :, :step], atol=1e-6)


def test_beside_others_each_has_its_own_row(translator: Translator) -> None:
    sources = ["I love you.", SOURCE, "Good morning", SOURCE, "What a day!"]
    changes = [("cross@2=aim:1",), ("cross@7=aim:9,10",), (), ("cross@2=aim:4",), ("cross@9=zero",)]
    requests = [
        TraceRequest(source, prefix=(9,) * i, interventions=change)
        for i, (source, change) in enumerate(zip(sources, changes, strict=True))
    ]
    for request, trace in zip(requests, translator.traces(requests, 9, 4), strict=True):
        assert isinstance(trace, AttentionTrace)
        alone = translator.trace(
            request.source,
            prefix=request.prefix,
            interventions=request.interventions,
            max_steps=9,
            top_k=4,
        )
        assert trace.tgt_ids == alone.tgt_ids
        for kind in KINDS:
            one, other = weights_of(trace, kind), weights_of(alone, kind)
            np.testing.assert_allclose(one, other, atol=1e-5)


def test_what_cannot_be_looked_at_is_refused_before_anything_is_computed(
    translator: Translator,
) -> None:
    source = "I love you."
    length = len(translator.trace(source).src)
    changes = ("cross@2=aim:{}", "encoder_self.L1@1=aim:1,{}")
    texts = [change.format(length + more) for more in (0, 1) for change in changes]
    requests = [TraceRequest(source, interventions=(text,)) for text in texts]
    traces = translator.traces([TraceRequest(SOURCE), *requests], 5)
    codes = [getattr(each, "code", None) for each in traces]
    assert codes == [None, None, None, "bad_intervention", "bad_intervention"]
    with pytest.raises(HeadlightError, match="past the end"):
        inside.effect(translator, translator.trace(source), ["cross@2=aim:99"])
    with pytest.raises(HeadlightError, match="has read no token after its own"):
        Intervention.parse("decoder_self@2=aim:3")
    for change in ("decoder_self@4=aim:3", "decoder_self@4=first"):
        with pytest.raises(HeadlightError) as caught:
            read_interventions(["causal=inverted", change])
        assert caught.value.code == "masked_row"
    assert read_interventions(["causal=inverted", "decoder_self@4=aim:4", "decoder_self@1=first"])


@pytest.mark.parametrize(
    "change",
    [
        *(("aim", None, (1,)), ("aim", 2, ()), ("zero", 1, (1,)), ("mean", 1, ())),
        *(("aim", 3, (2, 1)), ("aim", 3, (1, 1)), ("aim", 3, (4,)), ("residual", 1, ())),
    ],
)
def test_a_row_goes_with_what_is_done_to_rows_alone(change: Any) -> None:
    effect, row, keys = change
    with pytest.raises(ValueError, match=r"row|at"):
        Intervention("decoder_self", None, None, effect, row=row, keys=keys)


def test_a_row_past_the_end_changes_nothing_and_that_is_said(translator: Translator) -> None:
    plain = translator.trace(SOURCE, max_steps=6)
    far = ["cross@7=aim:2", "encoder_self@999=zero", "cross.L1@6=uniform"]
    trace = translator.trace(SOURCE, interventions=far[:2], max_steps=6)
    assert [str(change) for change in trace.without_effect] == far[:2]
    for kind in KINDS:
        np.testing.assert_array_equal(weights_of(trace, kind), weights_of(plain, kind))
    assert trace.candidates == plain.candidates
    last = translator.trace(SOURCE, interventions=far, max_steps=6)
    assert [str(change) for change in last.without_effect] == far[:2]
    assert plain.without_effect == ()


def test_in_a_file_only_the_row_that_is_off_may_be_empty(translator: Translator) -> None:
    trace = translator.trace(SOURCE, interventions=["cross.L1@2=zero"], max_steps=4)
    assert not weights_of(trace, "cross")[0, :, 1].any()
    for dtype in ("float32", "float16"):
        saved = trace.to_dict(dtype)
        assert AttentionTrace.from_dict(saved).interventions == trace.interventions
        for other in ("cross.L1@3=zero", "cross.L2@2=zero", "cross.L1@2=aim:1", "cross.L1=zero"):
            with pytest.raises(ValueError, match="sum"):
                AttentionTrace.from_dict({**saved, "interventions": [other]})


def test_where_tokens_are_gone_rows_and_keys_move_along() -> None:
    def left(side: Any, removed: set[int], *texts: str) -> list[str]:
        changes = [Intervention.parse(text) for text in texts]
        return [str(change) for change in without_tokens(changes, side, removed)]

    other = ("cross.L1=zero", "causal=off", "temperature=2", "decoder_self@3=aim:2,3")
    assert left("src", {2}, *other) == [*other]
    assert left("src", {1, 2}, "cross@9=aim:2,3", "cross@9=aim:1,3,5") == ["cross@9=aim:1,3"]
    assert left("src", {0}, "encoder_self@1=zero", "encoder_self@3=aim:1,2") == [
        "encoder_self@2=aim:1"
    ]
    assert left("tgt", {1}, "decoder_self@2=first", *other) == [
        *("cross.L1=zero", "causal=off", "temperature=2", "decoder_self@2=aim:2")
    ]
