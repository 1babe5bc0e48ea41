"""What public code does and is right to do: each of these was once called wrong."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.checker.bugs import batch
from tests.checker.mutations import correct_models, examine, mutations
from tests.checker.zoo_classic import Classic
from tests.checker.zoo_compact import Compact
from transformer import check
from transformer.checker import Report
from transformer.checker.basis.clues import OF_LOSS


def assert_in_peace(report: Report) -> None:
    assert report.codes == (), str(report)
    assert set(report.unknown) <= OF_LOSS
    assert not report.problems


class Filled(Compact):
    """Fills sentences up to a fixed length inside."""

    def forward(self, ids: Tensor) -> Tensor:
        return super().forward(F.pad(ids, (0, 20 - ids.size(1))))[:, : ids.size(1)]


class FilledPair(Classic):
    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        longer = (F.pad(ids, (0, 16 - ids.size(1))) for ids in (src, tgt))
        return super().forward(*longer)[:, : tgt.size(1)]


def test_tokens_that_the_model_adds_itself() -> None:
    torch.manual_seed(0)
    assert_in_peace(check(Filled(layers=1), batch()[1]))
    assert_in_peace(check(FilledPair(layers=1), *batch()))


def test_beside_added_tokens_bugs_keep_their_names() -> None:
    torch.manual_seed(0)
    assert check(Filled("future_leak", layers=1), batch()[1]).codes == ("future_leak",)
    assert check(FilledPair("padding_attended", layers=1), *batch()).codes == ("padding_attended",)


class AcrossSentences(Compact):
    """Attention over the whole batch as if it were one sentence."""

    def forward(self, ids: Tensor) -> Tensor:
        return super().forward(ids.reshape(1, -1)).view(*ids.shape, -1)


def test_a_leak_between_sentences_has_a_name_of_its_own() -> None:
    torch.manual_seed(0)
    assert check(AcrossSentences(layers=1), batch()[1]).codes == ("batch_leak",)


def test_a_loss_beside_hidden_states() -> None:
    (right,) = correct_models("annotated")
    wrong = [m for m in mutations("annotated") if m.code in OF_LOSS]
    for seed in range(4):
        report = examine(right, seed)
        assert (report.codes, report.unknown) == ((), ())
    assert len(wrong) >= 5
    for mutation in wrong:
        assert examine(mutation).codes == (mutation.code,)


def test_queries_of_low_rank() -> None:
    torch.manual_seed(0)
    model = Classic()
    for place in ("encoder.0.attention", "decoder.0.attention", "decoder.1.cross"):
        attention = model.get_submodule(place)
        attention.to_q = nn.Sequential(nn.Linear(16, 6, bias=False), nn.Linear(6, 16))
    assert_in_peace(check(model, *batch()))


class InTraining(Compact):
    """The causal mask is there in training alone."""

    def forward(self, ids: Tensor) -> Tensor:
        for block in self.blocks:
            block.__dict__["bug"] = "" if self.training else "future_leak"
        return super().forward(ids)


def test_a_mask_in_training_alone() -> None:
    torch.manual_seed(0)
    model = InTraining(layers=1).train()
    report = check(model, batch()[1])
    assert_in_peace(report)
    assert any("train()" in note for note in report.notes)
    assert model.training


class Encoder(nn.Module):
    """An encoder alone, as a library builds it."""

    def __init__(self, masked: bool = True) -> None:
        super().__init__()
        self.masked = masked
        self.words, self.places = nn.Embedding(23, 16), nn.Embedding(32, 16)
        layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        for part in self.body.layers:
            for parameter in part.parameters():
                if parameter.dim() > 1:
                    nn.init.xavier_uniform_(parameter)
        self.out = nn.Linear(16, 23)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.words(ids) + self.places(torch.arange(ids.size(1)))
        return self.out(self.body(x, src_key_padding_mask=(ids == 0) if self.masked else None))


def test_an_encoder_alone() -> None:
    torch.manual_seed(0)
    ids = batch()[0]
    assert_in_peace(check(Encoder(), ids, kind="encoder"))
    assert check(Encoder(masked=False), ids, kind="encoder").codes == ("padding_attended",)
    unsaid = check(Encoder(), ids)
    assert unsaid.codes == ("future_leak",)
    assert any('kind="encoder"' in note for note in unsaid.notes)


class OneRow(nn.Module):
    """Reads the source and then the target, in one row."""

    def __init__(self) -> None:
        super().__init__()
        self.body = Compact(layers=1)

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        return self.body(torch.cat([src, tgt], 1))[:, src.size(1) :]


def test_source_and_target_in_one_row() -> None:
    torch.manual_seed(0)
    src, tgt = (ids[2:] for ids in batch())
    report = check(OneRow(), src, tgt, pad_id=22)
    assert not {"heads_mixed", "memory_ignored", "cross_reads_target"} & set(report.codes)
    assert set(report.codes) <= {"padding_attended"}  # which it has no mask for


def test_a_forgotten_pad_id_is_asked_for() -> None:
    torch.manual_seed(0)
    src, tgt = batch()
    src, tgt = (ids.where(ids != 0, 2) for ids in (src, tgt))

    class PadsWithTwo(Classic):
        def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
            src, tgt = (ids.where(ids > 0, 3).where(ids != 2, 0) for ids in (src, tgt))
            return super().forward(src, tgt)

    model = PadsWithTwo(layers=1)
    blind = check(model, src, tgt)
    assert "padding_attended" not in blind.codes
    assert any("pad_id=2?" in note for note in blind.notes)
    assert_in_peace(check(model, src, tgt, pad_id=2))


class WeightsFirst(Classic):
    def forward(self, src: Tensor, tgt: Tensor) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        logits = super().forward(src, tgt)
        weights = self.get_submodule("decoder.0.cross").__dict__["weights"]
        return weights.mean(1), logits


def test_weights_before_logits() -> None:
    torch.manual_seed(0)
    assert_in_peace(check(WeightsFirst(layers=1), *batch()))


def test_where_weights_are_nothing_nothing_can_be_told() -> None:
    for factor in (0.0, 1e-4):
        torch.manual_seed(0)
        model = Classic()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(factor)
        report = check(model, *batch())
        assert report.codes == ()
        assert any("nothing can be told" in report.reasons[code] for code in report.unknown)


def test_advice_is_no_error_and_every_finding_has_its_cost() -> None:
    torch.manual_seed(1)
    for bug in ("weights_after_dropout", "embedding_scale"):
        (finding,) = check(Classic(bug, layers=1), *batch()).findings
        assert finding.severity == "advice"
        assert finding.cost
    (finding,) = check(Classic("scale_missing", layers=1), *batch()).findings
    assert finding.severity == "warning"


def test_the_divisor_is_said_in_every_reading() -> None:
    torch.manual_seed(1)
    (finding,) = check(Compact("scale_d_model", layers=1), batch()[1]).findings
    assert finding.code == "scale_wrong"
    assert "q·k ÷ 4, which is d_head = √d_model" in finding.evidence
