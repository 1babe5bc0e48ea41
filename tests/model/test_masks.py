import torch

from transformer.model.masks import causal_mask, padding_mask, target_mask


def test_padding_mask_lets_every_query_see_the_real_tokens() -> None:
    mask = padding_mask(torch.tensor([[5, 6, 2], [7, 2, 0]]), pad_id=0)
    assert mask.shape == (2, 1, 1, 3)
    assert mask.dtype == torch.bool
    assert mask[:, 0, 0].tolist() == [[True, True, True], [True, True, False]]


def test_causal_mask_lets_a_token_see_itself_and_the_past() -> None:
    mask = causal_mask(3, 3)
    assert mask.dtype == torch.bool
    assert mask[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_a_decoding_step_gets_the_last_rows_of_the_square_mask() -> None:
    assert torch.equal(causal_mask(2, 5), causal_mask(5, 5)[:, :, 3:])


def test_target_mask_is_both_at_once() -> None:
    mask = target_mask(torch.tensor([[1, 5, 0]]), pad_id=0)
    assert mask[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]


def test_a_target_that_starts_from_padding_may_attend_to_its_start() -> None:
    # As Marian does: hiding it would leave the first row nothing to attend to.
    mask = target_mask(torch.tensor([[0, 5, 6, 0]]), pad_id=0)
    expected = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 0]]
    assert mask[0, 0].int().tolist() == expected
