"""Every text for people is in English and Chinese, every text in the locale files is used, and a
language that lacks some shows the English ones."""

import json
import re
import sys
from pathlib import Path
from typing import get_args

import pytest

from headlight.rooms.problems import STATUS
from transformer.serving.guests.card import Why
from transformer.trace.interventions import HEAD_EFFECTS
from transformer.trace.kinds import Kind
from transformer.trace.roles import roles_of
from transformer.trace.sampling import StopReason

ROOT = Path(__file__).parents[2]
TEMPLATE = re.compile("`([^`]+)`")
CHOSEN = re.compile(r"\bcode = [^;]*\?([^;]*);")
HOLE = re.compile(r"\{(\w+)\}")

KINDS = " ".join(get_args(Kind))
SUBLAYERS = "self_attention cross_attention feed_forward"
READINGS = "attention alignment contributions value_norms leave_one_out value_zeroing"
ROLES = " ".join({role for kind in get_args(Kind) for role in roles_of(kind)})
MEASURES = f"sharpness confidence entropy offset {ROLES} harm"
BLOCKS = f"tokens embedding position {SUBLAYERS} add norm mask output softmax next guess"
LESSONS = "tour exercise clinic"
TOUR = (
    "tokens embedding position projections scores scale mask softmax heads residual cross next "
    "sinks induction"
)
EXERCISES = "aligns looks_back rests padding nothing breaks one_row branch guessed induction"
TOYS = "reverse repeat one_layer"
BUGS = "causal inverted scale positions mixed unshifted"
EFFECTS = " ".join(HEAD_EFFECTS)

JUDGED = {
    "aligns": "met near",
    "looks_back": "met near none kind",
    "rests": "met near none",
    "padding": "met near",
    "nothing": "met near words",
    "breaks": "met near",
    "one_row": "met length source rows target",
    "branch": "met near",
    "guessed": "met near",
    "induction": "met near none",
}

MADE = {
    "keys.${what}": "step ends play hide off kind zoom undo redo presenter head panel full list",
    **dict.fromkeys(
        (
            *("${kind}.title", "${drawn.kind}.title"),
            *("${kind}.short", "${name}.short", "${target.kind}.short", "${values.kind}.short"),
            *("${most.kind}.short", "${attention}.short"),
            "worked_out.from_${cell.kind}",
        ),
        KINDS,
    ),
    "${kind}.caption": KINDS,
    **dict.fromkeys(("${kind}.label", "${kind}.placeholder"), "source prompt guest.text"),
    **dict.fromkeys(("${part}.next_stop", "${part}.previous", "lesson.${part}"), LESSONS),
    **dict.fromkeys(("${tower}_self.short", "layers.tower.${tower}"), "encoder decoder"),
    **dict.fromkeys(
        ("steer.heads.${name}", "steer.look.${scope}", "steer.scope.${SCOPES[i]}"),
        "all layer head",
    ),
    "start.${question}": "show next look tour",
    "start.guess.${kind}": KINDS,
    **dict.fromkeys(("start.${verdict}", "start.${verdict}_encoder"), "see right other"),
    **dict.fromkeys(("start.${how}", "start.${how}_guest"), "same turned"),
    "steer.${how}": "turned same now",
    "steer.kind.${aim.kind}": KINDS,
    **dict.fromkeys(("${what}.png", "${what}.svg", "${what}.pdf"), "save save.beam"),
    **dict.fromkeys(("opening.${which}", "opening.${which}.why"), "predicts reads"),
    "axis.${name}": "queries reads predicts",
    "axis.${row}": "queries reads",
    "bertviz.${view}": "head model",
    "branches.${what}": "compare close",
    "change.${change.effect}": f"{EFFECTS} aim",
    **dict.fromkeys(("change.${effect}", "change.do.${effect}"), EFFECTS),
    "change.${what}": "off count",
    "change.at.${where}": "step token",
    'clinic.${bug.name}.${isMet ? "seen" : "not"}': " ".join(
        f"{bug}.{answer}" for bug in BUGS.split() for answer in ("seen", "not")
    ),
    "class.ask.${kind}": "look off next without sentence",
    "class.csv.${name}": (
        "number question sentence step answer the_class the_model right answered_all sure_all "
        "sure_wrong"
    ),
    **dict.fromkeys(("class.do.${kind}", "class.do.${ask.kind}"), "look next off without sentence"),
    "class.end.${end}": "closed forgotten stopped elsewhere full refused",
    "class.error.${code}": " ".join([*STATUS, "cannot_ask", "no_plan"]),
    "class.say.${label}": "same other",
    "clinic.bug.${bug.name}": BUGS,
    "compare.total.${total}": "less more same",
    "costs.${part}": "attention projections feed_forward norm",
    "error.${code}": "",
    "exercise.${EXERCISES[at].name}.title": EXERCISES,
    "exercise.${name}.hint": EXERCISES,
    "exercise.${name}.text${variant}": " ".join(
        (*(f"{it}.text" for it in EXERCISES.split()), "rests.text_encoder", "rests.text_decoder")
    ),
    "exercise.${outcome}": "no_encoder one_head",
    "keys.${what}_word": "step ends",
    **dict.fromkeys(("step.${name}", "step.${name}_word"), "first previous next last slider"),
    "exercise.${name}.${outcome}": " ".join(
        f"{name}.{outcome}" for name, outcomes in JUDGED.items() for outcome in outcomes.split()
    ),
    "guest.${form}": "encoder encoder-decoder",
    "guest.${stage}": "asking fetching loading done",
    **dict.fromkeys(
        ("guest.form.${card.form}", "guest.form.${form}", "guest.asked.${form}"),
        "encoder decoder encoder-decoder",
    ),
    "head.${ofHeads}": "head heads_mean heads_max",
    "head.${ofLayers}": "layer layers_mean layers_max",
    "head.layers_${layer}": "mean max",
    "heads.${part}": "mean max",
    "heads.${head}": "mean max",
    "overview.order.${order}": "layer role sharpness harm",
    'heads.none.${measure === "harm"}': "true false",
    "heads.to.${name}": "aligns previous induction end harm",
    "language.${language}": "en zh fr de es it pt nl ru",
    "language.${doubt.language}": "en fr de es it pt nl",
    "layers.sublayer.${name}": SUBLAYERS,
    'layers.sublayer.${rest.join("_").replace("-", "_")}': SUBLAYERS,
    "measure.${name}": MEASURES,
    "measure.${measured.measure}.why": MEASURES,
    "model.${name}": "scale costs positions",
    "model.positions_${kind}": "sinusoidal learned rotary relative",
    "model.about_${part}": BLOCKS,
    "model.part_${part}": BLOCKS,
    "model.path_${side}": "source target later",
    "more.${download.stage}": "asking fetching installing measuring",
    "part.${partName(text)}.why": ("scale causal causal=inverted positions heads=mixed"),
    "part.${partName(text)}": "scale temperature causal causal=inverted positions heads=mixed",
    "report.${headline}": "nothing_found found",
    "report.${severity}": "error warning advice",
    "report.seen_${side}": "tgt src",
    **dict.fromkeys(("role.${role}", "role.${own.role}", "role.${row.role}"), f"aligns {ROLES}"),
    "sampling.${name}": "greedy sampling temperature top_k top_p seed",
    "scale.${name}": "blue viridis grey entropy gradient",
    "stop.${trace.stop_reason}": "",
    "pair.${pair}": "all aa bb ab ba",
    'sentence.${reads ? "reads" : ahead ? "unmasked" : kind}.${form}': " ".join(
        f"{kind}.{form}"
        for kind in [*KINDS.split(), "reads", "unmasked"]
        for form in ["one", "two", "spread", "most", "off"]
    ),
    "sentence.${subjectOf(choice)}": "some_head all_heads head_mean layer_mean one_head",
    "sentence.is.${relation}": (
        "source source_of_read read itself before before_read after only answer later"
    ),
    "tab.${name}": "attention why model heads layers training compare",
    "picture.${picture}": "matrix lines",
    "term.${name}": (
        "read_as token bos eos unk space encoder decoder cross layer head weight masked greedy "
        "sampling temperature top_k top_p seed gamma rank from_source agreement sharp"
    ),
    'theme.to_${now === "dark" ? "light" : "dark"}': "dark light",
    "tip.${hidden}": "masked ahead",
    "tour.${TOUR[at].name}.title": TOUR,
    "tour.${name}": " ".join(f"{it}.text {it}.attempt" for it in TOUR.split()),
    "tour.${name}_encoder": "mask.text mask.attempt",
    "tour.${name}_guest": "heads.text next.text",
    "tour.${put}": " ".join(
        (
            *(f"{it}.question" for it in TOUR.split()),
            *("mask.question_encoder", "heads.question_guest"),
        )
    ),
    "tour.${name}_alone": "cross.text cross.attempt heads.attempt",
    **dict.fromkeys(
        ("training.${measure}", "training.${name}"),
        "train_loss dev_loss bleu chrf right sharp step",
    ),
    "training.begins_${beginningOf(history)}": "noise structure later",
    "training.part.${part}": "film noise teach",
    **dict.fromkeys(("noise.about.${toy}", "noise.toy.${toy}"), TOYS),
    'training.toy_${why ?? "chosen"}': "none structure later chosen",
    "teach.${optimizer}": "sgd adam",
    "teach.part.${name}": "embedding output",
    "teach.undone_${undone}": "rose not_a_number",
    "why.${reading.name}": "leave_one_out value_zeroing direct",
    'why.${delta > 0 ? "for" : "against"}${alone}': "for for_alone against against_alone",
    "why.link_${which}": "unknown known other",
    "gradients.${row}": "input_times_gradient integrated_gradients lost",
    "words.about.${reading}": f"{READINGS} gradients",
    "words.not.${part}": "weights other sinks values words sources",
    "words.reading.${reading}": f"{READINGS} gradients",
    "words.row.${row}": "reads predicts",
    "words.row.${row}_why": "reads predicts",
    "words.unit.${reading}": READINGS,
    "worked_out.${name}": "previous next",
    "worked_out.${sign}": "plus minus",
    "worked_out.enter_${kind}": KINDS,
    "worked_out.frame.${frame}": "vectors score scale exp softmax values output",
    "worked_out.${why}": "none hidden",
    "zoom.${name}": "out in fit",
}
"""The keys that each template in the viewer's code stands for: its start, one of these, its end.
What errors and ends of a translation there are, the server's code says."""


WHOLE = {"en", "zh"}
"""The languages that may lack no text."""

ASKED = "_asked"
"""Who may be asked about a language's texts, as its file says; nothing on the page shows it."""

Texts = dict[str, str | dict[str, str]]


@pytest.fixture(scope="module")
def locales(assets: Path) -> dict[str, Texts]:
    files = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((assets / "locales").glob("*.json"))
    }
    for texts in files.values():
        assert texts.pop(ASKED)
    return files


def forms(text: str | dict[str, str]) -> dict[str, str]:
    """A text by how many it speaks of."""
    return {"other": text} if isinstance(text, str) else text


def test_all_languages_have_the_same_keys_and_holes(locales: dict[str, Texts]) -> None:
    english = locales["en"]
    for language, texts in locales.items():
        # In the same order, so that two files can be read side by side.
        assert list(texts) == [key for key in english if language in WHOLE or key in texts]
        for key, text in texts.items():
            holes = sorted(HOLE.findall(forms(english[key])["other"]))
            assert sorted(HOLE.findall(forms(text)["other"])) == holes, key
            # "One thing" needs no number.
            assert all(set(HOLE.findall(form)) <= {*holes} for form in forms(text).values()), key
            assert all(form.strip() for form in forms(text).values())


def test_untranslated_texts_are_counted(
    locales: dict[str, Texts], capsys: pytest.CaptureFixture[str]
) -> None:
    english = locales["en"]
    with capsys.disabled():
        for language in sorted(locales.keys() - WHOLE):
            lacking = [key for key in english if key not in locales[language]]
            text = ", ".join(lacking[:5]) + (", …" if len(lacking) > 5 else "")
            sys.stdout.write(
                f"\n{language}: {len(lacking)} of {len(english)} texts lack a translation {text}\n"
            )
    assert all(locales[language].keys() == english.keys() for language in WHOLE)


def test_french_is_typeset_as_french(locales: dict[str, Texts]) -> None:
    # A narrow space that does not break (U+202F) before ; : ! ? » and after «, and no straight '.
    for key, text in locales["fr"].items():
        for form in forms(text).values():
            assert not re.search(r"'|«(?!\u202f)|(?<!\u202f)(?<!\d)[;:!?»]", form), key


def test_the_page_offers_every_language_that_has_a_file(
    assets: Path, locales: dict[str, Texts]
) -> None:
    module = (assets / "kit" / "i18n.js").read_text(encoding="utf-8")
    assert sorted(re.findall(r'\{ code: "(\w+)"', module)) == sorted(locales)
    assert set(locales) >= WHOLE
    lacking = {it for it, texts in locales.items() if texts.keys() != locales["en"].keys()}
    declared = re.search(r"const PARTIAL = \[(.*)\];", module)
    assert declared
    assert {*re.findall(r'"(\w+)"', declared[1])} == lacking


def test_every_key_is_used_and_every_used_key_exists(
    assets: Path, locales: dict[str, Texts]
) -> None:
    script = "\n".join(path.read_text(encoding="utf-8") for path in sorted(assets.rglob("*.js")))
    # One call may stand within another.
    calls = re.findall(r"""\bt\((?=((?:[^()]|\([^()]*\))*))""", script)
    used = {key for call in calls for key in re.findall(r'"([a-z_.]+)"', TEMPLATE.sub("", call))}
    # A template without a dot fills a hole.
    templates = {text for call in calls for text in TEMPLATE.findall(call) if "." in text}
    assert templates == MADE.keys(), "MADE says which keys each template stands for"
    for template, values in MADE.items():
        start, _, end = re.split(r"(\$.*\})", template)
        used |= {start + value + end for value in values.split()}
    # What a question declares, is folded into, or has above it.
    used |= set(re.findall(r"""\b(?:title|fold|FOLD)(?::| =) "([a-z_.]+)\"""", script))
    sections = re.findall(r"""\bsectionView\((?:context\.)?t, "([a-z_.]+)\"""", script)
    used |= {f"{title}{ending}" for title in sections for ending in ("", "_about")}
    needs = (assets / "parts" / "needs.js").read_text(encoding="utf-8")
    used |= {f"needs.{need}" for need in re.findall(r"^  (\w+): \(\{", needs, re.MULTILINE)}
    used |= {f"needs.guest.{why}" for why in get_args(Why)}
    keys = set(locales["en"])
    assert used - keys == set()
    # What the server says is looked at below.
    assert {key for key in keys - used if not key.startswith(("error.", "stop."))} == set()


def test_every_error_that_a_user_can_cause_has_a_sentence(
    assets: Path, locales: dict[str, Texts]
) -> None:
    # What only the command line or Python says is no sentence of the page.
    commands = {"__main__", "training", "marian", "heads_table", "describe_command", "corpus"}
    commands |= {"course", "heads", "annotations", "site"}
    modules = [
        path
        for path in (ROOT / "transformer").rglob("*.py")
        if not {path.stem, *path.relative_to(ROOT).parts} & commands
        and not path.is_relative_to(ROOT / "transformer" / "guests")
        and not (path.parent.name == "inside" and path.stem.startswith(("guest_", "any_model")))
    ]
    files = (
        "state/problem.js",
        "state/server/files.js",
        "state/server/dropped.js",
        "trace/fields.js",
        "trace/saved.js",
        "trace/saved_rows.js",
        "trace/saved_second.js",
    )
    own = [path for room in ("engine", "site") for path in sorted((assets / room).rglob("*.js"))]
    # These say so on the page.
    modules += [ROOT / "transformer/site/page.py", ROOT / "transformer/training/sharpening.py"]
    modules += sorted((ROOT / "transformer/serving/guests").rglob("*.py"))
    sources = [*modules, *own, *(assets / name for name in ("state/problem.js", *files))]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    guests = [ROOT / "transformer" / room / "guests" for room in ("", "serving")]
    of_guests = "\n".join(
        path.read_text(encoding="utf-8") for room in guests for path in room.rglob("*.py")
    )
    raised = {
        *re.findall(r'HeadlightError\(\s*"(\w+)"', text),
        *re.findall(r'super\(\).__init__\("(\w+)"', text),
        *re.findall(r'\bcode: str = "(\w+)"', text),
        *re.findall(r'\b_refusal\("(\w+)"', text),
        *re.findall(r'"?code"?: "(\w+)"', text),
        *re.findall(r'new Unreadable\("(\w+)"', text),
        *re.findall(r'"error\.(\w+)"', text),
        *(code for chosen in CHOSEN.findall(text) for code in re.findall(r'"(\w+)"', chosen)),
        *re.findall(r'"(guest_\w+|no_tokenizer)"', of_guests),
        *json.loads((assets / "trace" / "protocol.json").read_text(encoding="utf-8"))[
            "needs"
        ].values(),
    }
    codes = {key.removeprefix("error.") for key in locales["en"] if key.startswith("error.")}
    assert codes == raised


def test_every_stop_reason_has_a_sentence(locales: dict[str, Texts]) -> None:
    reasons = {key.removeprefix("stop.") for key in locales["en"] if key.startswith("stop.")}
    assert reasons == set(get_args(StopReason))
