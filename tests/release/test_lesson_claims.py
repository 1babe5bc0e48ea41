"""What the lesson plans say in words holds for the shipped models.

The figures follow by `scripts/lesson_figures.py`; where one of these tests fails, the lesson's
sentence must be written anew, or the lesson have another example.
"""

from collections.abc import Callable

import numpy as np
import pytest

from scripts.lesson_figures import plan, sections
from scripts.lesson_models import cross, model, representative, trace
from transformer import checkpoint, inside
from transformer.inside.arithmetic import work_out
from transformer.inside.effect import effect
from transformer.trace.head_names import head_name, parse_head
from transformer.trace.trace import AttentionTrace
from transformer.training.history import FILE, History
from transformer.training.sharpening import sharpening

YESTERDAY = "昨天他在车站遇到了一个老朋友。"
CAR = "She bought a red car yesterday."
SISTER = "My sister wrote my brother a letter."
BROTHER = "My brother wrote my sister a letter."
UMBRELLA = "You forgot your umbrella at school."
POEM = "床前明月光"


SAID = {
    "en": {
        "4": ("*station* looks at 车站", "reads *yesterday*", "from 车站", "to 昨天"),
        "7": ("一个 has", "老朋友", "hardly anything is left"),
        "8": ("look at *station*",),
        "18": ("looks at 车站 only", "it is 昨天"),
        "19": ("*yesterday* with", "a full stop"),
    },
    "zh": {
        "4": ("station 看着“车站”", "读入 yesterday", "跳回第一个词元“昨天”"),
        "7": ("“一个”的", "“老朋友”是", "几乎没有什么可供学习"),
        "8": ("看的正是 station",),
        "18": ("只看“车站”", "是“昨天”"),
        "19": ("说 yesterday", "句号"),
    },
    "fr": {
        "4": ("*voiture* regarde *car*", "lit *rouge*", "de *car* à *red*"),
        "7": ("`</s>` a", "le point final", "moins de la moitié"),
        "8": ("regarder *voiture*",),
        "18": ("ne regarde que *car*", "c’est *red*"),
        "19": ("*hier* avec", "un point"),
    },
}
"""Words of the plans that the claims are about."""


def toy() -> AttentionTrace:
    return trace("reverse", "headlight")


def chinese() -> AttentionTrace:
    """Of the English plan and the Chinese one."""
    return trace("zh-en", YESTERDAY)


def french() -> AttentionTrace:
    return trace("en-fr", CAR)


def reads(one: AttentionTrace, layer: int, head: int, step: int) -> str:
    """The source token that a head of cross-attention looks at."""
    return one.src[int(cross(one)[layer, head, step - 1].argmax())].strip("␣")


@pytest.mark.parametrize("language", SAID)
def test_the_plans_say_what_is_claimed(language: str) -> None:
    bodies = {name: body for name, _, body in sections(plan(language))}
    for lesson, words in SAID[language].items():
        assert [each for each in words if each not in bodies[lesson]] == []


def test_1_the_toy_spells_backwards() -> None:
    one = toy()
    for step, token in enumerate("thgildaeh", 1):
        assert one.tgt_out[step - 1] == reads(one, *parse_head("L2H4"), step) == token
        assert step == 1 or one.tgt_in[step - 1] == reads(one, *representative(one), step)


def test_2_one_head_looks_at_what_is_read_and_one_at_what_is_predicted() -> None:
    one = toy()
    assert one.tgt_in[2] == reads(one, *representative(one), 3) == "h"
    assert one.tgt_out[2] == reads(one, *parse_head("L2H4"), 3) == "g"


def test_3_the_first_tokens() -> None:
    assert chinese().src[:2] == ("昨天", "他在")
    assert french().src[:2] == ("␣She", "␣bought")


@pytest.mark.parametrize(
    ("of", "step", "words"),
    [
        (chinese, 9, (("station", "车站"), ("yesterday", "昨天"))),
        (french, 6, (("voiture", "car"), ("rouge", "red"))),
    ],
)
def test_4_the_head_aligns_what_is_read_and_jumps_back(
    of: Callable[[], AttentionTrace], step: int, words: tuple[tuple[str, str], ...]
) -> None:
    one = of()
    for at, (read, source) in enumerate(words, step):
        assert one.tgt_in[at - 1] == f"␣{read}"
        assert reads(one, *representative(one), at) == source
    # The mean of layer 3, on which the page opens, looks at what is to be written.
    assert (
        cross(one)[2, :, step - 1].mean(0).argmax()
        == cross(one)[(*representative(one), step)].argmax()
    )


def test_6_lessons_4_to_7_use_the_layer_whose_lines_are_drawn() -> None:
    assert representative(chinese())[0] == representative(french())[0] == 0


@pytest.mark.parametrize(
    ("of", "row", "read", "strongest", "less"),
    [
        (chinese, 3, "␣an", ("一个", "老朋友"), 1 / 4),
        (french, 0, "<s>", ("</s>", "."), 1 / 2),
    ],
)
def test_7_without_the_division_less_is_left_to_learn_from(
    of: Callable[[], AttentionTrace], row: int, read: str, strongest: tuple[str, ...], less: float
) -> None:
    """Hardly anything says the English plan, less than half the French one."""
    one = of()
    assert one.tgt_in[row] == read
    translator = model("zh-en" if of is chinese else "en-fr")
    worked = work_out(translator, one.source, one.tgt_ids, "cross", *representative(one))
    products = worked.key.astype(float) @ worked.query[row].astype(float)
    assert tuple(one.src[key] for key in (-products).argsort()[:2]) == strongest
    gradients: list[float] = []
    for scores in (products, products / translator.config.d_head**0.5):
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        gradients.append((shares * (1 - shares)).sum())
    assert gradients[0] < less * gradients[1]


@pytest.mark.parametrize(
    ("of", "row", "read", "answer"),
    [(chinese, 7, "the", "station"), (french, 4, "une", "voiture")],
)
def test_8_without_the_mask_a_row_looks_at_the_answer(
    of: Callable[[], AttentionTrace], row: int, read: str, answer: str
) -> None:
    healthy = of()
    one = trace("zh-en" if of is chinese else "en-fr", healthy.source, "causal=off")
    assert healthy.translation == one.translation
    at = int(one.decoder_self[2, :, row].mean(0).argmax())
    assert one.tgt_in[row] == f"␣{read}"
    assert one.tgt_in[at] == one.tgt_out[at - 1] == healthy.tgt_out[row] == f"␣{answer}"


def test_9_and_10_without_positions_two_sentences_are_one_heap() -> None:
    heap = trace("en-zh", "Tom loves Anna.", "positions=off").translation
    assert heap == trace("en-zh", "Anna loves Tom.", "positions=off").translation
    assert heap == trace("en-zh", "Tom loves Anna.").translation
    assert heap != trace("en-zh", "Anna loves Tom.").translation


def test_9_and_10_in_french_who_writes_to_whom_is_lost() -> None:
    heap = trace("en-fr", SISTER, "positions=off").translation
    assert heap == trace("en-fr", BROTHER, "positions=off").translation
    assert not ("sœur" in heap and "frère" in heap)
    assert trace("en-fr", SISTER).translation.endswith("à mon frère.")
    assert trace("en-fr", BROTHER).translation.endswith("à ma sœur.")


def test_13_the_answer() -> None:
    assert chinese().candidates[7][0].token == "␣station"
    assert chinese().tgt_out[8] == "␣yesterday"
    assert french().tgt_in[6] == "␣rouge"
    assert french().candidates[6][0].token == french().tgt_out[6] == "␣hier"


def test_14_the_rest_follows_another_beginning() -> None:
    second = chinese().candidates[0][1]
    assert second.token == "␣Yesterday"
    branch = model("zh-en").trace(YESTERDAY, prefix=(second.id,)).translation
    assert branch.lower().count("yesterday") == 1
    first, second = trace("en-fr", UMBRELLA).candidates[0][:2]
    assert (first.token, second.token) == ("␣Tu", "␣Vous")
    assert "ton parapluie" in trace("en-fr", UMBRELLA).translation
    branch = model("en-fr").trace(UMBRELLA, prefix=(second.id,)).translation
    assert branch.startswith("Vous avez ")
    assert "votre parapluie" in branch


def test_15_two_heads_matter() -> None:
    (first, _, _), (second, _, _), *rest = inside.sweep(model("reverse"), toy()).ranked()
    assert (first, second) == ("cross", "decoder_self")
    assert sum(abs(delta) >= 0.005 for _, _, delta in rest) <= 3


def test_16_and_17_one_head_is_not_missed_and_one_layer_is() -> None:
    one = toy()
    less = trace("reverse", "headlight", "cross.L2H4=zero")
    assert less.translation == one.translation
    assert effect(model("reverse"), one, ["cross.L2H4=zero"]).total < 0
    output = trace("reverse", "headlight", "cross.L1=zero").translation
    assert output in one.translation
    assert output[0] != one.translation[0]
    assert output[-1] != one.translation[-1]


@pytest.mark.parametrize(
    ("of", "step", "word", "looks", "matters"),
    [(chinese, 9, "yesterday", "车站", "昨天"), (french, 6, "rouge", "car", "red")],
)
def test_18_the_word_that_matters_is_not_looked_at(
    of: Callable[[], AttentionTrace], step: int, word: str, looks: str, matters: str
) -> None:
    one = of()
    assert one.tgt_out[step - 1] == f"␣{word}"
    assert reads(one, *representative(one), step) == looks
    omissions = inside.leave_one_out(model("zh-en" if of is chinese else "en-fr"), one)
    assert omissions.words[int(omissions.deltas[step - 1].argmin())].strip("␣") == matters


def test_19_which_layer_says_what() -> None:
    lens = inside.lens(model("zh-en"), chinese())
    assert chinese().tgt_out[8] == "␣yesterday"
    assert lens.tokens[1][8] == "."
    first, second, third = inside.decoder_lens(model("zh-en"), chinese()).translations
    assert first.startswith("Yesterday")
    assert "esterday" not in second
    assert third == chinese().translation


def test_19_which_layer_says_what_in_french() -> None:
    lens = inside.lens(model("en-fr"), french())
    assert french().tgt_out[6] == "␣hier"
    assert lens.tokens[1][6] == "."
    first, second, third = inside.decoder_lens(model("en-fr"), french()).translations
    assert "hier" not in first
    assert second == third == french().translation


def test_20_and_21_no_head_is_sharp_at_first_and_one_of_cross_attention_is_the_earliest() -> None:
    result = sharpening(History.load(checkpoint.find("reverse") / FILE))
    assert result.sharp_at_first == 0
    steps = {
        (kind, head_name(layer, head)): step
        for kind, rows in result.sharp_from.items()
        for layer, row in enumerate(rows)
        for head, step in enumerate(row)
        if step is not None
    }
    kind, _ = min(steps, key=lambda head: steps[head])
    assert kind == "cross"


def test_22_the_poet_repeats_itself() -> None:
    poem = trace("tang", POEM).translation.removeprefix(POEM)
    assert (poem.count("人"), poem.count("知")) == (2, 2)


def test_23_two_heads_do_one_thing_together() -> None:
    whole = trace("repeat", "planetpla")
    after, second = whole.tgt_in.index("n"), 9
    assert whole.tgt_in[second] == "a"
    assert int(whole.decoder_self[1, 0, second].argmax()) == after
    assert whole.tgt_in[after - 1] == "a"
    assert int(whole.decoder_self[0, 0, after].argmax()) == after - 1


def test_23_either_head_alone_carries_what_another_word_makes_of_the_answer() -> None:
    patched = inside.patching(
        model("repeat"), trace("repeat", "planetpla"), donor="plnaetpla", step=9
    )
    assert (patched.answer, patched.donor_answer) == ("n", "e")
    assert patched.heads["decoder_self"].round(2).tolist() == [[1], [1]]
    # What the feed-forward networks add carries half of it.
    assert patched.sublayers["decoder"][:, 1].max() < 0.6
