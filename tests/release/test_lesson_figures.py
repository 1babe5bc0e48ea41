"""Every figure of the lesson plans, worked out anew from the model that its address names.

A model that is trained again must not make a lesson lie: where it now computes something else, all
texts change.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.french_lessons import FRENCH_LESSONS
from tests.lesson_plans import FRENCH, Said, model, reads, representative, text, trace
from transformer import checkpoint, inside
from transformer.inside.arithmetic import work_out
from transformer.inside.effect import effect
from transformer.trace.head_names import head_name, parse_head
from transformer.trace.roles import role_cells
from transformer.training.history import FILE, History
from transformer.training.sharpening import is_sharp, sharpening
from transformer.training.toys import Repeat

ROOT = Path(__file__).parents[2]
LANGUAGES = ("lessons.md", "lessons.zh.md", "lessons.fr.md")
SECTION = re.compile(r"^#{2,3} (?:(\d+)\.|(.+))", re.MULTILINE)
NUMBER = re.compile(r"\d[\d,]*\.\d+|\d+,\d{3}|\d{3,}|\de−\d+")
"""Those that a model decides: with decimals, with thousands, or of three digits and more."""

YESTERDAY = "昨天他在车站遇到了一个老朋友。"


def spells_backwards() -> Iterator[Said]:
    one = trace("reverse", "headlight")
    predicting, reading = parse_head("L2H4"), representative(one)
    for step, token in enumerate("thgildaeh", 1):
        assert one.tgt_out[step - 1] == reads(one, *predicting, step) == token
        assert step == 1 or one.tgt_in[step - 1] == reads(one, *reading, step)
    assert one.cross is not None
    yield text(one.cross[predicting][0].max())
    yield f"`{one.translation}`"


def two_names() -> Iterator[Said]:
    one = trace("reverse", "headlight")
    yield (
        f"{head_name(*representative(one))} rests on `h`",
        f"{head_name(*representative(one))} 看的是读入的",
        f"{head_name(*representative(one))} s’arrête sur `h`",
    )
    assert one.tgt_in[2] == reads(one, *representative(one), 3) == "h"
    yield ("L2H4 on `g`", "L2H4 看的是要预测的字母 `g`", "L2H4 sur `g`")
    assert one.tgt_out[2] == reads(one, *parse_head("L2H4"), 3) == "g"


def tokens() -> Iterator[Said]:
    one = trace("zh-en", YESTERDAY)
    yield from map(str, one.src_ids[:2])
    yield f"{one.src_ids[-1]}"
    assert len(one.src) == 8
    yield ("eight tokens", "八个词元")


def aligns() -> Iterator[Said]:
    one = trace("zh-en", YESTERDAY)
    assert one.tgt_in[8].endswith("station")
    assert one.tgt_in[9].endswith("yesterday")
    yield reads(one, *representative(one), 9)
    yield reads(one, *representative(one), 10)


def one_weight() -> Iterator[Said]:
    one, config = trace("zh-en", YESTERDAY), model("zh-en").config
    yield from (str(config.d_model), str(config.d_head))
    assert one.cross is not None
    yield text(one.cross[representative(one)][9].max(), 3)


def lines() -> Iterator[Said]:
    cross = trace("zh-en", YESTERDAY).cross
    assert cross is not None
    _, heads, rows, keys = cross.shape
    yield (
        f"{heads} heads × {rows} rows × {keys} tokens",
        f"{heads} 个头 × {rows} 行 × {keys} 个",
    )
    yield str(cross[0].size)
    drawn = int((cross[0] > 0.5).sum())
    total = cross[0].size
    yield (f"{drawn} lines of {total}", f"画出了 {drawn} 条")


def scaled() -> Iterator[Said]:
    one, translator = trace("zh-en", YESTERDAY), model("zh-en")
    arithmetic = work_out(translator, YESTERDAY, one.tgt_ids, "cross", *representative(one))
    products = arithmetic.key.astype(float) @ arithmetic.query[3].astype(float)
    first, second = (-products).argsort()[:2]
    assert (one.tgt_in[3], one.src[first], one.src[second]) == ("␣an", "一个", "老朋友")
    yield from (text(products[first]), text(products[second]))
    for scores in (products, products / translator.config.d_head**0.5):
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        yield from (text(shares[first], 3), text(shares[second], 3))
        yield text(-(shares * np.log(shares)).sum())  # nats, as on the page
        yield text((shares * (1 - shares)).sum())


def no_mask() -> Iterator[Said]:
    healthy, one = trace("zh-en", YESTERDAY), trace("zh-en", YESTERDAY, "causal=off")
    assert healthy.translation == one.translation
    row = one.decoder_self[2, :, 7].mean(0)
    answer = int(row.argmax())
    assert answer == 8
    assert one.tgt_in[answer] == one.tgt_out[answer - 1] == healthy.tgt_out[7]
    yield one.tgt_in[answer].strip("␣")


def tom_and_anna(source: str) -> Callable[[], Iterator[Said]]:
    def figures() -> Iterator[Said]:
        output = trace("en-zh", source).translation
        heap = trace("en-zh", source, "positions=off").translation
        assert heap == trace("en-zh", "Tom loves Anna.", "positions=off").translation
        assert (heap == output) == source.startswith("Tom")
        yield output
        yield heap

    return figures


def no_bridge() -> Iterator[Said]:
    one = trace("zh-en", YESTERDAY, "cross=zero")
    assert one.cross is not None
    heads = one.cross.shape[0] * one.cross.shape[1]
    yield (f"all {heads} heads", f"{heads} 个头")
    yield one.translation


def whole_model() -> Iterator[Said]:
    config, parameters = model("zh-en").config, model("zh-en").model.parameters()
    yield f"d_model = {config.d_model}"
    heads, size = config.num_heads, config.d_head
    yield (f"{heads} heads of {size}", f"{heads} 个头，每个 {size} 维")
    yield f"{sum(each.numel() for each in parameters):,}"


def next_token() -> Iterator[Said]:
    one = trace("zh-en", YESTERDAY)
    states = model("zh-en").replay(YESTERDAY, one.tgt_ids, (), ("output",)).at("decoder", "output")
    logits = model("zh-en").model.decoder.output(states[-1])[0, 7].tolist()
    for candidate in one.candidates[7][:2]:
        token, logit = candidate.token.strip("␣"), text(logits[candidate.id])
        arrow = f"{logit} → {candidate.probability:.3f}"
        yield (f"*{token}* {arrow}", f"{token} {arrow}")
    assert one.tgt_out[8].endswith("yesterday")


def another_beginning() -> Iterator[Said]:
    chosen, second = trace("zh-en", YESTERDAY).candidates[0][:2]
    for candidate in (chosen, second):
        token, share = candidate.token.strip("␣"), text(candidate.probability)
        yield (f"*{token}* ({share})", f"{token}（{share}）")
    yield f"prefix={second.id}"
    yield model("zh-en").trace(YESTERDAY, prefix=(second.id,)).translation


def which_head() -> Iterator[Said]:
    one = trace("reverse", "headlight")
    ranked = inside.sweep(model("reverse"), one).ranked()
    (_, first, harm), (_, second, other), *rest = ranked
    assert [kind for kind, _, _ in ranked[:2]] == ["cross", "decoder_self"]
    assert sum(abs(delta) >= 0.005 for _, _, delta in rest) <= 3
    yield (f"{len(ranked)} heads", f"{len(ranked)} 个头", f"{len(ranked)} têtes")
    yield (
        f"cross {first} ({text(harm)} nats)",
        f"交叉 {first}（{text(harm)} 纳特）",
        f"croisée {first} ({text(harm)} nat)",
    )
    yield (
        f"decoder {second} ({text(other)})",
        f"解码器 {second}（{text(other)}）",
        f"décodeur {second} ({text(other)})",
    )
    yield "0.00"


def without(change: str) -> Callable[[], Iterator[Said]]:
    def figures() -> Iterator[Said]:
        one = trace("reverse", "headlight")
        loss = -effect(model("reverse"), one, [change]).total
        yield (f"{text(loss)} nats", f"{text(loss)} 纳特", f"{text(loss)} nat")
        output = trace("reverse", "headlight", change).translation
        if output != one.translation:
            yield f"`{output}`"

    return figures


def left_out() -> Iterator[Said]:
    one = trace("zh-en", YESTERDAY)
    yield one.heads["cross"].head
    yield reads(one, *representative(one), 9)
    omissions = inside.leave_one_out(model("zh-en"), one)
    yield omissions.words[int(omissions.deltas[8].argmin())]
    nats = text(-omissions.deltas[8].min(), 0)
    yield (f"{nats} nats", f"{nats} 纳特")


def layers() -> Iterator[Said]:
    one = trace("zh-en", YESTERDAY)
    lens = inside.lens(model("zh-en"), one)
    yield text(lens.emitted[2, 8])
    assert (lens.tokens[1][8], lens.rank[1, 8]) == (".", 6)
    yield from (("a full stop", "句号"), ("sixth", "第六"))
    first, second, third = inside.decoder_lens(model("zh-en"), one).translations
    assert first.startswith("Yesterday")
    assert "esterday" not in second
    assert third == one.translation


def training() -> dict[str, Callable[[], Iterator[Said]]]:
    result = sharpening(History.load(checkpoint.find("reverse") / FILE))
    steps = {
        (kind, head_name(layer, head)): step
        for kind, rows in result.sharp_from.items()
        for layer, row in enumerate(rows)
        for head, step in enumerate(row)
        if step is not None
    }

    def before() -> Iterator[Said]:
        assert result.sharp_at_first == 0
        yield (
            f"0 of {result.heads}",
            f"{result.heads} 个头中没有一个",
            f"0 tête nette sur {result.heads}",
        )

    def after() -> Iterator[Said]:
        sharp = sum(
            int(is_sharp(sharpness[-1], result.by_chance[kind]).sum())
            for kind, sharpness in result.sharpness.items()
        )
        yield (
            f"{sharp} of {result.heads}",
            f"{result.heads} 个头中有 {sharp} 个",
            f"{sharp} têtes nettes sur {result.heads}",
        )
        yield f"{model('reverse').card['scores']['bleu']:.0f}"
        kind, earliest = min(steps, key=lambda head: steps[head])
        assert kind == "cross"
        yield (f"Cross {earliest}", f"交叉 {earliest}", f"Croisée {earliest}")
        yield f"{steps[kind, earliest]:,}"
        yield f"{steps['cross', representative_of_the_toy()]:,}"

    return {"20": before, "21": after}


def representative_of_the_toy() -> str:
    return trace("reverse", "headlight").heads["cross"].head


def poem() -> Iterator[Said]:
    one = trace("tang", "床前明月光")
    yield one.translation.removeprefix("床前明月光，")


def induction() -> Iterator[Said]:
    yield str(Repeat().steps)
    whole, off = (trace("repeat", "planetpla", *c) for c in ((), ("decoder_self.L1H1=zero",)))
    assert whole.decoder_self is not None
    assert off.decoder_self is not None
    after, second = whole.tgt_in.index("n"), 9
    assert whole.tgt_in[second] == "a"
    yield text(float(whole.decoder_self[1, 0, second, after]))
    yield text(float(whole.decoder_self[0, 0, after, after - 1]))
    yield text(float(off.decoder_self[1, 0, second, after]))
    yield f"`{off.translation}`"
    history = History.load(checkpoint.find("repeat") / FILE)
    for step in (296, 450):
        shares: list[float] = []
        for pair, weights in zip(history.pairs, history.weights[step], strict=True):
            read = pair["tgt_in"]
            cells = role_cells("decoder_self", len(read), read)["induction"]
            rows = cells.any(-1)
            cell_weights = weights["decoder_self"][1, 0].astype(float) * cells
            shares.append(float(cell_weights.sum(-1)[rows].mean()))
        yield str(step)
        yield text(float(np.mean(shares)))


def first_patient() -> Iterator[Said]:
    weights = trace("reverse", "headlight", "causal=off").decoder_self
    yield text(float(np.triu(weights, 1).sum(-1).mean()))


FIGURES: dict[str, Callable[[], Iterator[Said]]] = {
    "1": spells_backwards,
    "2": two_names,
    "3": tokens,
    "4": aligns,
    "5": one_weight,
    "6": lines,
    "7": scaled,
    "8": no_mask,
    "9": tom_and_anna("Tom loves Anna."),
    "10": tom_and_anna("Anna loves Tom."),
    "11": no_bridge,
    "12": whole_model,
    "13": next_token,
    "14": another_beginning,
    "15": which_head,
    "16": without("cross.L2H4=zero"),
    "17": without("cross.L1=zero"),
    "18": left_out,
    "19": layers,
    **training(),
    "22": poem,
    "23": induction,
    "clinic": first_patient,
}


def sections(name: str) -> dict[str, str]:
    """The text below each lesson's heading, by its number."""
    whole = (ROOT / "docs" / name).read_text(encoding="utf-8")
    heads = [*SECTION.finditer(whole)]
    ends = [head.start() for head in heads[1:]] + [len(whole)]
    bodies = {
        head[1]
        or ("clinic" if re.search("clinic: |门诊：|clinique.: ", head[2]) else head[2]): whole[
            head.end() : end
        ]
        for head, end in zip(heads, ends, strict=True)
    }
    return {section: body for section, body in bodies.items() if section in FIGURES}


@pytest.mark.parametrize("section", FIGURES)
def test_a_lesson_says_what_the_model_computes(section: str) -> None:
    figures = [*FIGURES[section]()]
    assert figures
    for language, name in enumerate(LANGUAGES):
        body = sections(name)[section]
        own = figures
        if name == "lessons.fr.md":
            own = [*FRENCH_LESSONS[section]()] if section in FRENCH_LESSONS else figures
            for theirs, ours in FRENCH:
                body = re.sub(theirs, ours, body)
        texts = [each if isinstance(each, str) else each[language] for each in own]
        assert [each for each in texts if each not in body] == []
        # And no figure stands there that is not worked out above.
        plain = re.sub(r"\[`.*?\)", "", body.partition("\n| ")[0])
        numbers = {number for each in texts for number in NUMBER.findall(each)}
        assert {*NUMBER.findall(plain)} - numbers == set()
