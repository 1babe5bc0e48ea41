"""The toy that has one induction head and one head that it needs."""

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch

from scripts import repeat_corpus
from transformer import Translator, checkpoint
from transformer.inside.heads import shipped_statistics
from transformer.trace.roles import Role, role_cells
from transformer.training.data import Text, encode
from transformer.training.evaluate import measure
from transformer.training.history import CURVE, History
from transformer.training.history import FILE as HISTORY

UNSEEN_SEED = 2026
"""Neither of the seeds that made its training and dev data."""


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load("repeat", device="cpu")


@pytest.fixture(scope="module")
def unseen() -> list[str]:
    seen = set(repeat_corpus.training_sequences())
    drawn = repeat_corpus.sequences(220, seed=UNSEEN_SEED)
    return [sequence for sequence in drawn if sequence not in seen][:200]


def known_rows_right(translator: Translator, sequences: list[str]) -> float:
    """The share of next symbols that are right where they are known: once a symbol came again."""
    right = total = 0
    for sequence in sequences:
        ids = torch.tensor([[1, *translator.encode(repeat_corpus.repeated(sequence)), 2]])
        with torch.inference_mode():
            output = translator.model(ids[:, :-1]).argmax(-1)[0]
        rows = slice(len(sequence) + 1, None)
        right += int((output[rows] == ids[0, 1:][rows]).sum())
        total += len(output[rows])
    return right / total


def share(weights: npt.NDArray[np.floating], tokens: tuple[str, ...], role: Role) -> float:
    """Of one head's weights [query, key], the mean share on a role, over the rows that have it."""
    cells = role_cells("decoder_self", len(tokens), tokens)[role]
    rows = cells.any(-1)
    return float((weights * cells).sum(-1)[rows].mean())


def test_it_repeats_what_it_has_never_seen(translator: Translator, unseen: list[str]) -> None:
    assert len(unseen) == 200
    assert known_rows_right(translator, unseen) > 0.99
    for sequence in ("planet", "K7mQx", *unseen[:20]):
        assert translator.translate(sequence) == repeat_corpus.repeated(sequence)


def test_layer_one_looks_back_and_layer_two_looks_up(translator: Translator) -> None:
    measured = shipped_statistics(translator)
    assert measured is not None
    assert measured.decoder_self is not None
    assert measured.decoder_self.payload()["roles"] == [["previous"], ["induction"]]
    assert measured.decoder_self.lift("previous")[0, 0] > 0.3
    assert measured.decoder_self.lift("induction")[1, 0] > 0.7
    representative = translator.representative_heads["decoder_self"]
    assert (representative.head, representative.role) == ("L2H1", "induction")


def test_the_card_tells_what_is_measured(translator: Translator) -> None:
    card = (checkpoint.find("repeat") / "README.md").read_text(encoding="utf-8")
    dev = [Text("", repeat_corpus.repeated(each)) for each in repeat_corpus.dev_sequences()]
    perplexity = math.exp(measure(translator, encode(dev, translator.tokenizer, 32)).loss)
    assert f"**{perplexity:.2f}** a symbol" in card
    measured = shipped_statistics(translator)
    assert measured is not None
    assert measured.decoder_self is not None
    card = " ".join(card.split())
    told: tuple[tuple[int, Role, str], ...] = (
        (0, "previous", "of its weight to the token before"),
        (1, "induction", "to what came next before"),
    )
    for layer, role, words in told:
        share = measured.decoder_self.shares[role][layer, 0]
        chance = measured.decoder_self.by_chance[role]
        assert f"{share:.2f} {words} (by chance {chance:.2f})" in card
    blind = translator.trace("planet", interventions=["decoder_self.L1=zero"]).translation
    assert f"`planet` goes on as `{blind}`" in card


def test_without_the_first_head_the_second_is_blind(
    translator: Translator, unseen: list[str]
) -> None:
    shares: list[tuple[float, float]] = []
    for sequence in unseen[:20]:
        text = repeat_corpus.repeated(sequence)
        off = translator.trace(text, interventions=["decoder_self.L1=zero"])
        whole = translator.trace(text)
        assert whole.decoder_self is not None
        assert off.decoder_self is not None
        shares.append(
            (
                share(whole.decoder_self[1, 0], whole.tgt_in, "induction"),
                share(off.decoder_self[1, 0], off.tgt_in, "induction"),
            )
        )
    with_it, without = np.mean(shares, axis=0)
    assert with_it > 0.85
    assert without < 0.3
    broken = translator.trace("planet", interventions=["decoder_self.L1=zero"]).translation
    assert not broken.startswith("planetplanet")


def test_a_repeated_symbol_is_taken_for_its_copy(translator: Translator) -> None:
    output = translator.translate("headlight")
    assert output.startswith("headlighthead")
    assert output != repeat_corpus.repeated("headlight")
    assert f"`{output}`" in (checkpoint.find("repeat") / "README.md").read_text(encoding="utf-8")


def test_its_history_shows_the_birth_where_the_loss_falls() -> None:
    folder: Path = checkpoint.find("repeat")
    history = History.load(folder / HISTORY)
    assert history.steps[0] == 0

    def induction(step: int) -> float:
        return float(
            np.mean(
                [
                    share(
                        weights["decoder_self"][1, 0].astype(float), (*pair["tgt_in"],), "induction"
                    )
                    for pair, weights in zip(history.pairs, history.weights[step], strict=True)
                ]
            )
        )

    shares = {step: induction(step) for step in history.steps}
    assert shares[0] < 0.2
    assert shares[history.steps[-1]] > 0.8
    born = next(step for step, value in shares.items() if value > 0.5)
    rows = (folder / CURVE).read_text(encoding="utf-8").splitlines()
    column = rows[0].split(",").index("dev_loss")
    losses = {int(row.split(",")[0]): float(row.split(",")[column]) for row in rows[1:]}
    falls = {step: losses[step - 250] - loss for step, loss in losses.items() if step > 250}
    steepest = max(falls, key=falls.__getitem__)
    assert steepest - 250 <= born <= steepest
    card = " ".join((folder / "README.md").read_text(encoding="utf-8").split())
    assert f"{losses[250]:.1f} nats (step 250) to {losses[500]:.1f} (step 500)" in card
