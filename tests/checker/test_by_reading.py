"""What is said of three published architectures, and that it is so."""

import inspect
import textwrap
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.checker.architectures import VOCAB, build
from transformer import check
from transformer.checker import Report

transformers = pytest.importorskip("transformers")
AS_IT_IS = "permute(0, 2, 1, 4, 3)"
IN_ORDER = "permute(0, 1, 4, 2, 3)"


def logits(module: nn.Module, src: Tensor, tgt: Tensor) -> Tensor:
    padded = (src != 0).to(next(module.parameters()).dtype)
    called: Any = module
    return called(
        input_ids=src, attention_mask=padded, decoder_input_ids=tgt, use_cache=False
    ).logits


def pair(start: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    src = torch.randint(3, VOCAB, (4, 9), generator=generator)
    tgt = torch.randint(3, VOCAB, (4, 8), generator=generator)
    src[0, 7:], src[1, 8:], tgt[:, 0] = 0, 0, start
    return src, tgt


def examine(module: nn.Module, start: int) -> Report:
    return check(module, *pair(start), call=logits, seconds=600)


@pytest.mark.slow  # it is large whatever its sizes, and changes with transformers alone
def test_prophetnet_reads_relative_positions_of_other_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its predicting streams flatten [position, stream, head] and read [stream, head, position]."""
    from transformers.models.prophetnet import modeling_prophetnet as modeling

    kind: Any = modeling.ProphetNetNgramSelfAttention
    name = "get_predict_relative_pos_embeddings"
    source = textwrap.dedent(inspect.getsource(getattr(kind, name)))
    if AS_IT_IS not in source:
        pytest.skip("transformers has mended it")
    model = build("pair", "prophetnet")
    # Both are so; the leak, of 4e-7 at this size, is as small as float32 rounds.
    assert examine(model, 0).codes in {("prefix_differs",), ("future_leak",)}

    wide = model.double()
    with torch.no_grad():
        for key, parameter in wide.named_parameters():
            parameter.mul_(20 if "relative_pos" in key else 1)
    src, tgt = pair(0)

    later = tgt.clone()
    later[:, 3] = later[:, 3] % (VOCAB - 4) + 3

    def changes() -> tuple[float, float]:
        """Of a prefix, by what follows it; of the first position, by the fourth token."""
        with torch.no_grad():
            whole = logits(wide, src, tgt)
            prefix = logits(wide, src, tgt[:, :5]) - whole[:, :5]
            ahead = logits(wide, src, later) - whole
        return float(prefix.abs().max()), float(ahead[:, 0].abs().max())

    prefix, ahead = changes()
    assert prefix > 1e-3
    assert ahead > 1e-6
    namespace = dict(vars(modeling))
    exec(source.replace(AS_IT_IS, IN_ORDER), namespace)
    monkeypatch.setattr(kind, name, namespace[name])
    prefix, ahead = changes()
    assert prefix < 1e-8
    assert ahead == 0
    assert examine(build("pair", "prophetnet"), 0).codes == ()


@pytest.mark.slow
def test_fsmt_sees_the_future_where_targets_begin_with_padding() -> None:
    """It hides padding in the decoder, too; of its own, targets begin with </s>."""
    model = build("pair", "fsmt")
    assert examine(model, 2).codes == ()
    (finding,) = examine(model, 0).findings
    assert finding.code == "future_leak"
    assert "position 1" in finding.evidence
    assert "pad_id=0" in finding.evidence
    assert "leave the first key visible" in finding.hint

    src, tgt = pair(0)
    other = tgt.clone()
    other[:, 3] = other[:, 3] % (VOCAB - 4) + 3
    with torch.no_grad():
        change = (logits(model, src, other) - logits(model, src, tgt)).abs().amax((0, 2))
    assert float(change[0]) > 1e-3
    assert float(change[1:3].max()) < 1e-6


def test_cpm_ant_reads_its_whole_text_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its context is 1 everywhere, so that nothing is causal; at 0 its own mask is."""
    from transformers.models.cpmant.modeling_cpmant import CpmAntModel

    sizes = {"hidden_size": 32, "num_attention_heads": 4, "dim_head": 8, "dim_ff": 64}
    prompts = {"prompt_length": 2, "prompt_types": 4, "segment_types": 3, "num_hidden_layers": 2}
    torch.manual_seed(0)
    config = transformers.CpmAntConfig(vocab_size=VOCAB, **sizes, **prompts)
    model = transformers.CpmAntForCausalLM(config).eval()
    _, ids = pair(3)
    other = ids.clone()
    other[:, 5] = other[:, 5] % (VOCAB - 4) + 3

    def read(module: Any, ids: Tensor) -> Tensor:
        return module(input_ids=ids, use_cache=False).logits

    def changed_before() -> float:
        with torch.no_grad():
            return float((read(model, other) - read(model, ids))[:, :5].abs().max())

    assert check(model, ids, kind="decoder", call=read).codes == ("future_leak",)
    assert changed_before() > 1

    def with_context_0(self: Any, ids: Tensor, span: Tensor, context: Tensor, size: Tensor) -> Any:
        return as_it_is(self, ids, span, torch.zeros_like(context), size)

    as_it_is = CpmAntModel._prepare_attention_mask
    monkeypatch.setattr(CpmAntModel, "_prepare_attention_mask", with_context_0)
    assert changed_before() == 0
    assert check(model, ids, kind="decoder", call=read).codes == ()
