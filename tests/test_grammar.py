"""Every rule that Python and the viewer both know, by the table that both are tested with."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from transformer import HeadlightError
from transformer.ask.agreement import rank_correlation
from transformer.inside import ANALYSES
from transformer.inside.gradients import READINGS
from transformer.inside.statistics import KindStatistics
from transformer.serving.tools import ALIGNS
from transformer.serving.wire.requests import Drawn
from transformer.text.tokenizer import SPECIAL_PIECES
from transformer.trace.changes import causal_mask_of
from transformer.trace.head_names import head_name, parse_head
from transformer.trace.interventions import Intervention
from transformer.trace.kinds import masked
from transformer.trace.roles import ROLES
from transformer.trace.words import WORD_START
from transformer.training.errors import TrainingError
from transformer.training.score_alignment import read_links
from transformer.training.sharpening import is_sharp

# tests/viewer/grammar.test.js reads it, too.
TABLE: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "grammar.json").read_text(encoding="utf-8")
)


def test_an_intervention_is_read_in_many_forms_and_written_in_one() -> None:
    for text, canonical in TABLE["interventions"]["accepted"].items():
        read = Intervention.parse(text)
        assert str(read) == canonical, text
        assert Intervention.parse(canonical) == read, text
    for text in TABLE["interventions"]["refused"]:
        with pytest.raises(HeadlightError):
            Intervention.parse(text)


def test_a_head_has_one_name() -> None:
    for name, (layer, head) in TABLE["heads"]["accepted"].items():
        assert parse_head(name) == (layer, head)
        assert head_name(layer, head) == name
    for name in TABLE["heads"]["refused"]:
        with pytest.raises(ValueError, match="is no head"):
            parse_head(name)


def test_links_between_words(tmp_path: Path) -> None:
    file = tmp_path / "links"
    for text, links in TABLE["links"]["accepted"].items():
        file.write_text(f"0-0\n{text}\n", encoding="utf-8")
        read = read_links(file)[1]
        assert read.sure == {tuple(link) for link in links["sure"]}, text
        assert read.sure | read.possible == {tuple(link) for link in links["possible"]}, text
    for text in TABLE["links"]["refused"]:
        file.write_text(f"{text}\n", encoding="utf-8")
        with pytest.raises(TrainingError, match="is no link"):
            read_links(file)


def test_what_the_page_asks_of_drawing_by_lot_is_taken() -> None:
    for asked in TABLE["sampling"]["accepted"].values():
        assert Drawn().read("sampling", asked)
    for asked in TABLE["sampling"]["refused"]:
        with pytest.raises(HeadlightError):
            Drawn().read("sampling", asked)


def test_special_tokens_and_the_mark_of_a_words_start() -> None:
    assert {"special": [*SPECIAL_PIECES], "word_start": WORD_START} == TABLE["tokens"]


def test_roles_are_clear_from_a_threshold_on() -> None:
    assert [ALIGNS, *ROLES] == TABLE["roles"]["names"]
    number = np.zeros((1, 1))
    for share, chance, clear in TABLE["roles"]["clear"]:
        statistics = KindStatistics(
            **dict.fromkeys(("sharpness", "confidence", "entropy", "offset"), number),
            shares={"previous": np.full((1, 1), share)},
            by_chance={"previous": chance},
            rows=1,
        )
        assert (statistics.role(0, 0) == "previous") == clear, (share, chance)


def test_a_head_is_sharp_from_a_threshold_on() -> None:
    for sharpness, chance, sharp in TABLE["sharp"]:
        assert bool(is_sharp(np.array(sharpness), chance)) == sharp, (sharpness, chance)


def test_orders_are_compared() -> None:
    for one, other, expected in TABLE["ranks"]:
        rows = (np.array([row], dtype=float) for row in (one, other))
        wanted = np.nan if expected is None else expected
        np.testing.assert_allclose(rank_correlation(*rows), [wanted], atol=1e-6)


def test_what_gradients_are_read_as() -> None:
    assert [*READINGS] == TABLE["gradients"]


def test_another_sentence_is_as_long_as_the_page_lets_it_be() -> None:
    donor = ANALYSES["patching"].options["donor"]
    longest = TABLE["donor"]["characters"]
    assert donor.read("donor", "a" * longest)
    with pytest.raises(HeadlightError):
        donor.read("donor", "a" * (longest + 1))


def test_masked_cells() -> None:
    for kind, mask, picture in TABLE["masked"]:
        rows = ["".join(".#"[int(cell)] for cell in row) for row in masked(kind, 3, 3, mask)]
        assert " ".join(rows) == picture, (kind, mask)


def test_of_several_changes_of_the_mask_the_last_acts() -> None:
    for changes, mask in TABLE["changed_mask"]:
        assert causal_mask_of([Intervention.parse(text) for text in changes.split()]) == mask
