"""The figures of the lessons that the French plan has of its own: there a class reads French."""

from collections.abc import Callable, Iterator

import numpy as np

from tests.lesson_plans import model, reads, representative, text, trace
from transformer import inside
from transformer.inside.arithmetic import work_out

CAR = "She bought a red car yesterday."
SISTER = "My sister wrote my brother a letter."
BROTHER = "My brother wrote my sister a letter."
UMBRELLA = "You forgot your umbrella at school."


def tokens() -> Iterator[str]:
    one = trace("en-fr", CAR)
    assert one.src[:2] == ("␣She", "␣bought")
    yield from (f"*She* est {one.src_ids[0]}", f"*bought* est {one.src_ids[1]}")
    assert len(one.src) == 8
    yield "huit"


def aligns() -> Iterator[str]:
    one = trace("en-fr", CAR)
    for step, (read, source) in enumerate((("voiture", "car"), ("rouge", "red")), 6):
        assert one.tgt_in[step - 1] == f"␣{read}"
        assert reads(one, *representative(one), step) == f"␣{source}"
        yield from (f"*{read}*", f"*{source}*")


def one_weight() -> Iterator[str]:
    one, config = trace("en-fr", CAR), model("en-fr").config
    yield from (str(config.d_model), str(config.d_head))
    assert one.cross is not None
    yield text(one.cross[representative(one)][6].max(), 3)


def lines() -> Iterator[str]:
    cross = trace("en-fr", CAR).cross
    assert cross is not None
    _, heads, rows, keys = cross.shape
    yield f"{heads} têtes × {rows} lignes × {keys} "
    yield f"{int((cross[0] > 0.5).sum())} traits sur {cross[0].size}"


def scaled() -> Iterator[str]:
    one, translator = trace("en-fr", CAR), model("en-fr")
    arithmetic = work_out(translator, CAR, one.tgt_ids, "cross", *representative(one))
    products = arithmetic.key.astype(float) @ arithmetic.query[0].astype(float)
    first, second = (-products).argsort()[:2]
    assert (one.src[first], one.src[second]) == ("</s>", ".")
    yield from (text(products[first]), text(products[second]))
    for scores in (products, products / translator.config.d_head**0.5):
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        yield from (text(shares[first], 3), text(shares[second], 3))
        yield text(-(shares * np.log(shares)).sum())
        yield text((shares * (1 - shares)).sum())


def no_mask() -> Iterator[str]:
    healthy, one = trace("en-fr", CAR), trace("en-fr", CAR, "causal=off")
    assert healthy.translation == one.translation
    answer = int(one.decoder_self[2, :, 4].mean(0).argmax())
    assert one.tgt_in[4] == "␣une"
    assert one.tgt_in[answer] == healthy.tgt_out[4] == "␣voiture"
    yield "regarder *voiture*"


def no_positions(source: str) -> Callable[[], Iterator[str]]:
    def figures() -> Iterator[str]:
        bag = trace("en-fr", source, "positions=off").translation
        assert bag == trace("en-fr", SISTER, "positions=off").translation
        yield bag
        yield " ".join(trace("en-fr", source).translation.split()[-2:])
        yield " ".join(trace("en-fr", source).translation.split()[:2])

    return figures


def no_bridge() -> Iterator[str]:
    one = trace("en-fr", CAR, "cross=zero")
    assert one.cross is not None
    yield f"les {one.cross.shape[0] * one.cross.shape[1]} têtes"
    yield one.translation


def whole_model() -> Iterator[str]:
    config, parameters = model("en-fr").config, model("en-fr").model.parameters()
    yield f"d_model = {config.d_model}"
    yield f"{config.num_heads} têtes de {config.d_head}"
    yield f"{sum(each.numel() for each in parameters):,}"


def next_token() -> Iterator[str]:
    one = trace("en-fr", CAR)
    states = model("en-fr").replay(CAR, one.tgt_ids, (), ("output",)).at("decoder", "output")
    logits = model("en-fr").model.decoder.output(states[-1])[0, 6].tolist()
    names = {"␣hier": "*hier*", ",": "la virgule"}
    for candidate in one.candidates[6][:2]:
        logit = text(logits[candidate.id])
        yield f"{names[candidate.token]} {logit} → {candidate.probability:.3f}"


def another_beginning() -> Iterator[str]:
    chosen, second = trace("en-fr", UMBRELLA).candidates[0][:2]
    for candidate in (chosen, second):
        yield f"*{candidate.token.strip('␣')}* ({text(candidate.probability)})"
    yield f"prefix={second.id}"
    yield model("en-fr").trace(UMBRELLA, prefix=(second.id,)).translation


def left_out() -> Iterator[str]:
    one = trace("en-fr", CAR)
    yield one.heads["cross"].head
    assert one.tgt_out[5] == "␣rouge"
    yield f"*{reads(one, *representative(one), 6).strip('␣')}*"
    omissions = inside.leave_one_out(model("en-fr"), one)
    yield f"*{omissions.words[int(omissions.deltas[5].argmin())]}*"
    yield f"{text(-omissions.deltas[5].min(), 0)} nat"


def layers() -> Iterator[str]:
    one = trace("en-fr", CAR)
    lens = inside.lens(model("en-fr"), one)
    yield text(lens.emitted[2, 6])
    assert (lens.tokens[1][6], lens.rank[1, 6]) == (".", 6)
    yield from ("un point", "sixième")
    first, second, third = inside.decoder_lens(model("en-fr"), one).translations
    assert "hier" not in first
    assert second == third == one.translation


def sentence() -> Iterator[str]:
    source = "The dog was so tired that"
    yield trace("story", source).translation.removeprefix(source).strip()


FRENCH_LESSONS: dict[str, Callable[[], Iterator[str]]] = {
    "3": tokens,
    "4": aligns,
    "5": one_weight,
    "6": lines,
    "7": scaled,
    "8": no_mask,
    "9": no_positions(SISTER),
    "10": no_positions(BROTHER),
    "11": no_bridge,
    "12": whole_model,
    "13": next_token,
    "14": another_beginning,
    "18": left_out,
    "19": layers,
    "22": sentence,
}
