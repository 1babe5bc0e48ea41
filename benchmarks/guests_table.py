"""The table of docs/own-models.md: which question can be asked of which family of guests."""

from pathlib import Path

from tests.guests.families import DECODERS, ENCODERS, FAMILIES, OUTSIDE, PAIRS, tiny, tokenizer
from transformer import inside
from transformer.errors import HeadlightError
from transformer.guests.hugging_face.families import REFUSED
from transformer.guests.hugging_face.guest import HuggingFaceModel
from transformer.inside.any_model import NO_ARITHMETIC, OF_GUESTS

DOCUMENT = Path(__file__).parents[1] / "docs" / "own-models.md"
MARK = "<!-- made by `python -m benchmarks.guests_table` -->\n"
COLUMNS = tuple(name for name in OF_GUESTS if name != "anatomy")
"""Questions whose answer hangs on the family, not on the sizes that these models happen to have."""

TEXT, OTHER = "w1 w2 w3 w4 w5", "w9 w8 w3 w11 w12"


def answers(name: str) -> dict[str, str]:
    """Of each question an empty text, or why a family cannot answer it."""
    reasons: dict[str, str] = {}
    with HuggingFaceModel(tiny(name), tokenizer(), name) as guest:
        if guest.form == "encoder":
            trace = guest.trace(TEXT, hidden=[1])
            kind = "encoder_self"
        else:
            trace = guest.trace(TEXT, max_steps=4)
            kind = "decoder_self"
        for question in COLUMNS:
            given = {
                "effect": (trace, [f"{kind}.L1H1=zero"]),
                "gradients": (trace, 0),
                "patching": (trace, OTHER),
            }.get(question, (trace,))
            try:
                getattr(inside, question)(guest, *given)
                reasons[question] = ""
            except HeadlightError as error:
                # That two texts say the same is no fault of a family's.
                reasons[question] = "" if error.code == "same_answer" else str(error)
    return reasons


def table() -> str:
    """The table, and the reasons, as Markdown."""
    lines = [f"| family | {' | '.join(COLUMNS)} |", f"| --- {'| --- ' * len(COLUMNS)}|"]
    reasons: dict[str, list[str]] = {}
    for name in FAMILIES:
        answer = answers(name)
        cells = ["–" if answer[it] else "yes" for it in COLUMNS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
        for question, why in answer.items():
            if why:
                reasons.setdefault(why.replace(name, "it", 1), []).append(f"{name}: {question}")
    lines += ["", "Statistics, roles, rollout, comparison and branches need a trace alone.", ""]
    lines += [f"- {why} ({', '.join(of)})" for why, of in reasons.items()]
    lines += ["", "Of no guest:", ""]
    not_asked = {"work_out": NO_ARITHMETIC} | {
        name: each.ours_alone for name, each in inside.ANALYSES.items() if each.ours_alone
    }
    lines += [f"- `{question}`: {why}" for question, why in not_asked.items()]
    lines += ["", "Refused by name:", ""]
    lines += [f"- {name}: {why}" for name, why in REFUSED.items()]
    counted = f"{len(DECODERS)} decoders, {len(OUTSIDE)} decoders outside the interface, "
    counted += f"{len(ENCODERS)} encoders, {len(PAIRS)} encoder-decoders"
    lines += ["", f"Tested with random weights: {counted}."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    before = DOCUMENT.read_text(encoding="utf-8").split(MARK)[0]
    DOCUMENT.write_text(before + MARK + "\n" + table(), encoding="utf-8")
