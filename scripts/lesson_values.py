"""Figures that the lesson plans quote, worked out from the models that the lessons' addresses name.

A lesson's function takes the addresses that stand in it, and yields each figure with the name by
which `lesson_figures.json` says where it stands.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from scripts.lesson_models import (
    Address,
    changed,
    changes,
    cross,
    healthy,
    model,
    representative,
    row,
    trace,
)
from transformer import checkpoint, inside
from transformer.inside.arithmetic import work_out
from transformer.inside.effect import effect
from transformer.trace.head_names import head_name, parse_head
from transformer.trace.roles import role_cells
from transformer.training.history import FILE, History
from transformer.training.sharpening import is_sharp, sharpening
from transformer.training.toys import Repeat

SIGNS = {
    ",": {"en": "the comma", "zh": "逗号", "fr": "la virgule"},
    ".": {"en": "the full stop", "zh": "句号", "fr": "le point"},
    "</s>": {"en": "`</s>`", "zh": "`</s>`", "fr": "`</s>`"},
}
COUNTS = {
    "en": "one two three four five six seven eight nine ten eleven twelve",
    "zh": "一 两 三 四 五 六 七 八 九 十 十一 十二",
    "fr": "un deux trois quatre cinq six sept huit neuf dix onze douze",
}
PLACES = {
    "en": "first second third fourth fifth sixth seventh eighth ninth tenth",
    "zh": "一 二 三 四 五 六 七 八 九 十",
    "fr": "premier deuxième troisième quatrième cinquième sixième septième huitième neuvième "
    "dixième",
}
BORN = (296, 450)
"""Training steps between which the toy of lesson 23 learns to look at what came next before."""


class Number(str):
    """A number as English writes it: 0.985, 9,890,600, −7.20."""


Value = Number | str | dict[str, str]
"""A number, a model's own words, or what each language says."""

Figures = Iterator[tuple[str, Value]]


def number(value: float, digits: int = 0) -> Number:
    """The number, rounded."""
    return Number(f"{float(value):,.{digits}f}".replace("-", "−"))


def quoted(token: str) -> dict[str, str]:
    """A token as each language quotes it: signs by their names, Latin words in italics."""
    token = token.strip("␣")
    return SIGNS.get(token) or {"en": f"*{token}*", "zh": token, "fr": f"*{token}*"}


def spelled(count: int, words: Mapping[str, str]) -> dict[str, str]:
    """A small number in words.

    Raises:
        ValueError: the lists end before it.
    """
    lists = {language: of.split() for language, of in words.items()}
    if not 0 < count <= min(map(len, lists.values())):
        raise ValueError(f"there is no word here for {count}: add it to the lists")
    return {language: of[count - 1] for language, of in lists.items()}


def _spells_backwards(first: Address) -> Figures:
    one = changed(first)
    yield "weight", number(cross(one)[parse_head(first["cross"])][0].max(), 2)
    yield "output", one.translation


def _two_names(first: Address) -> Figures:
    yield "aligning", healthy(first).heads["cross"].head
    yield "other", first["cross"].split("-")[0]


def _tokens(first: Address) -> Figures:
    ids = changed(first).src_ids
    yield from zip(("first", "second", "last"), map(Number, (*ids[:2], ids[-1])), strict=True)
    yield "count", spelled(len(ids), COUNTS)


def _aligns(first: Address) -> Figures:
    yield "layer", number(representative(changed(first))[0] + 1)


def _one_weight(first: Address) -> Figures:
    one, config = changed(first), model(first["model"]).config
    yield "d_model", number(config.d_model)
    yield "d_head", number(config.d_head)
    yield "weight", number(cross(one)[representative(one)][row(first)].max(), 3)


def _lines(first: Address) -> Figures:
    weights = cross(changed(first))[int(first["lines"].rpartition("L")[2]) - 1]
    yield from zip(("heads", "rows", "keys"), map(number, weights.shape), strict=True)
    yield "all", number(weights.size)
    yield "drawn", number((weights > float(first["lines_from"])).sum())


def _scaled(first: Address) -> Figures:
    one, translator = changed(first), model(first["model"])
    head = representative(one)
    arithmetic = work_out(translator, first["source"], one.tgt_ids, "cross", *head)
    products = arithmetic.key.astype(float) @ arithmetic.query[row(first)].astype(float)
    strongest = (-products).argsort()[:2]
    for place, key in enumerate(strongest, 1):
        yield f"product_{place}", number(products[key], 2)
    divided = products / translator.config.d_head**0.5
    for name, scores in (("plain", products), ("scaled", divided)):
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        for place, key in enumerate(strongest, 1):
            yield f"{name}_{place}", number(shares[key], 3)
        # Nats, as on the page.
        yield f"{name}_entropy", number(-(shares * np.log(shares)).sum(), 2)
        yield f"{name}_gradient", number((shares * (1 - shares)).sum(), 2)


def _switched_off(first: Address) -> Figures:
    """What is written before and after; what a loss of nats it is, and of how many heads."""
    before, after = healthy(first), changed(first)
    yield "before", before.translation
    yield "after", after.translation
    if "cross" in first["off"]:
        yield "heads", number(len(cross(before)) * cross(before).shape[1])
        loss = -effect(model(first["model"]), before, changes(first)).total
        yield "nats", number(loss, 2)


def _whole_model(first: Address) -> Figures:
    translator = model(first["model"])
    yield "d_model", number(translator.config.d_model)
    yield "heads", number(translator.config.num_heads)
    yield "d_head", number(translator.config.d_head)
    yield "parameters", number(sum(each.numel() for each in translator.model.parameters()))


def _next_token(first: Address) -> Figures:
    one, translator = changed(first), model(first["model"])
    replay = translator.replay(first["source"], one.tgt_ids, (), ("output",))
    state = replay.at("decoder", "output")[-1]
    logits = translator.model.decoder.output(state)[0, row(first)].tolist()
    for place, candidate in enumerate(one.candidates[row(first)][:2], 1):
        yield f"token_{place}", quoted(candidate.token)
        yield f"logit_{place}", number(logits[candidate.id], 2)
        yield f"probability_{place}", number(candidate.probability, 3)


def _another_beginning(first: Address) -> Figures:
    translator = model(first["model"])
    for place, candidate in enumerate(changed(first).candidates[0][:2], 1):
        yield f"token_{place}", quoted(candidate.token)
        yield f"probability_{place}", number(candidate.probability, 2)
        if place == 2:
            yield "prefix", Number(candidate.id)
            yield "branch", translator.trace(first["source"], prefix=(candidate.id,)).translation


def _which_head(first: Address) -> Figures:
    ranked = inside.sweep(model(first["model"]), changed(first)).ranked()
    yield "heads", number(len(ranked))
    for place, (_, head, delta) in enumerate(ranked[:2], 1):
        yield f"head_{place}", head
        yield f"delta_{place}", number(delta, 2)
    yield "others", number(abs(float(np.median([delta for *_, delta in ranked[2:]]))), 2)


def _left_out(first: Address) -> Figures:
    one = changed(first)
    yield "head", healthy(first).heads["cross"].head
    omissions = inside.leave_one_out(model(first["model"]), one)
    yield "nats", number(-omissions.deltas[row(first)].min())


def _layers(first: Address) -> Figures:
    lens = inside.lens(model(first["model"]), changed(first))
    yield "probability", number(lens.emitted[-1, row(first)], 2)
    yield "rank", spelled(int(lens.rank[-2, row(first)]), PLACES)


def _training(first: Address) -> Figures:
    name = first["model"]
    result = sharpening(History.load(checkpoint.find(name) / FILE))
    last = (is_sharp(of[-1], result.by_chance[kind]) for kind, of in result.sharpness.items())
    yield "at_first", number(result.sharp_at_first)
    yield "at_last", number(sum(int(sharp.sum()) for sharp in last))
    yield "heads", number(result.heads)
    yield "bleu", number(model(name).card["scores"]["bleu"])
    steps = {
        head_name(layer, head): step
        for layer, heads in enumerate(result.sharp_from["cross"])
        for head, step in enumerate(heads)
        if step is not None
    }
    earliest = min(steps, key=lambda head: steps[head])
    aligning = trace(name, model(name).card["examples"][0]).heads["cross"].head
    yield "earliest", earliest
    yield "earliest_step", number(steps[earliest])
    yield "aligning", aligning
    yield "aligning_step", number(steps[aligning])


def _continuation(first: Address) -> Figures:
    yield "words", changed(first).translation.removeprefix(first["source"]).lstrip(" ，")


def _induction(first: Address, back: Address, off: Address, donor: Address, *_: Address) -> Figures:
    whole, blind = changed(first), changed(off)
    previous, inductive = (0, 0, row(back)), (1, 0, row(first))
    copied = whole.tgt_in.index("n")
    yield "looks", number(whole.decoder_self[inductive][copied], 2)
    yield "back", number(whole.decoder_self[previous][row(back) - 1], 2)
    yield "blind", number(blind.decoder_self[inductive][copied], 2)
    yield "output", blind.translation
    patched = inside.patching(
        model(donor["model"]), whole, donor=donor["donor"], step=int(donor["donor_step"]) - 1
    ).heads["decoder_self"]
    yield "patched_first", number(patched[previous[:2]], 2)
    yield "patched_second", number(patched[inductive[:2]], 2)
    yield "steps", number(Repeat().steps)
    history = History.load(checkpoint.find(first["model"]) / FILE)
    for name, step in zip(("before", "after"), BORN, strict=True):
        shares: list[float] = []
        for pair, weights in zip(history.pairs, history.weights[step], strict=True):
            cells = role_cells("decoder_self", len(pair["tgt_in"]), pair["tgt_in"])["induction"]
            looked = weights["decoder_self"][1, 0].astype(float) * cells
            shares.append(float(looked.sum(-1)[cells.any(-1)].mean()))
        yield f"{name}_step", number(step)
        yield name, number(float(np.mean(shares)), 2)


def _first_patient(first: Address) -> Figures:
    weights = trace(first["model"], first["source"], "causal=off").decoder_self
    yield "above", number(np.triu(weights, 1).sum(-1).mean(), 2)


LESSONS: Mapping[str, Callable[..., Figures]] = {
    "1": _spells_backwards,
    "2": _two_names,
    "3": _tokens,
    "4": _aligns,
    "5": _one_weight,
    "6": _lines,
    "7": _scaled,
    "9": _switched_off,
    "10": _switched_off,
    "11": _switched_off,
    "12": _whole_model,
    "13": _next_token,
    "14": _another_beginning,
    "15": _which_head,
    "16": _switched_off,
    "17": _switched_off,
    "18": _left_out,
    "19": _layers,
    "20": _training,
    "21": _training,
    "22": _continuation,
    "23": _induction,
    "clinic": _first_patient,
}


def values(lesson: str, addresses: Sequence[Address]) -> Figures:
    """The figures of a lesson, by name; lessons by their numbers, and "clinic"."""
    return LESSONS[lesson](*addresses if lesson == "23" else addresses[:1])
