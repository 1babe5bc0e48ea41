"""Encoder-decoders that the checker had never seen: what was said wrongly is said rightly."""

import pytest

from tests.checker.mutations import Mutation, correct_models, examine, mutations


def model(file: str, option: str) -> Mutation:
    return next(each for each in correct_models(file) if each.option == option)


def bugs(file: str, option: str, code: str) -> list[Mutation]:
    of_code = [each for each in mutations(file) if each.code == code]
    return [each for each in of_code if each.option == option]


def test_heads_that_a_matrix_mixes_stay_an_attention() -> None:
    report = examine(model("composed_pairs", " mixed heads"))
    assert (report.codes, report.unknown) == ((), ()), str(report)


@pytest.mark.slow
@pytest.mark.parametrize("code", ["heads_mixed", "scale_wrong", "residual_missing", "future_leak"])
def test_a_mistake_beside_mixed_heads_is_named(code: str) -> None:
    cases = bugs("composed_pairs", " mixed heads", code)
    assert [examine(each).codes for each in cases] == [(code,)]


def test_positions_from_the_end_are_one_mistake_though_padding_moves_them() -> None:
    cases = bugs("composed_pairs", " layer by layer", "prefix_differs")
    assert [examine(each).codes for each in cases] == [("prefix_differs",)]


@pytest.mark.parametrize(
    ("file", "option"), [("head_lists", ""), ("wrapped_towers", " one class of layers")]
)
def test_dropout_that_eval_does_not_reach_is_no_second_mistake(file: str, option: str) -> None:
    cases = bugs(file, option, "not_registered")
    assert [examine(each).codes for each in cases] == [("not_registered",)]


def test_zeros_like_the_memory_are_not_the_memory() -> None:
    cases = bugs("wrapped_towers", " one class of layers", "cross_reads_target")
    assert [examine(each).codes for each in cases] == [("cross_reads_target",)]


def test_towers_that_copy_their_layer_are_said_to() -> None:
    for each in bugs("wrapped_towers", " bare towers", "shared_layers"):
        (finding,) = examine(each).findings
        assert finding.code == "shared_layers"
        assert "nn.TransformerDecoder" in finding.hint


def test_rows_whose_token_is_lost_are_no_reshaped_logits() -> None:
    report = examine(model("unusual_pairs", " convolved end"))
    assert report.codes == (), str(report)


@pytest.mark.parametrize("option", [" no padding kept", " one big softmax"])
def test_other_sentences_and_the_target_may_be_hidden_beside_the_source(option: str) -> None:
    report = examine(model("course_pairs", option))
    assert report.codes == (), str(report)


def test_queries_in_chunks_see_the_order_by_their_last() -> None:
    report = examine(model("unusual_pairs", " chunks"))
    assert report.codes == (), str(report)
