"""The text that a translator goes on from: public corpora and our own, some lines more than once.

    python scripts/mixture.py en-zh --data FOLDER --out runs/en-zh.tsv

FOLDER holds the public corpora that the cards name, one folder each: `tatoeba-en-zh/train.tsv` and
`dev.tsv`, English, a tab and the other language. No sentence of dev.tsv, on either side, comes into
the text; runs/en-zh.dev.tsv is dev.tsv with the source first. Of English sources with words that
people misspell, a share comes a second time, misspelt as in scripts/misspellings.tsv.
"""

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

CORPORA = Path(__file__).parents[1] / "corpora"
MISSPELLINGS = Path(__file__).with_name("misspellings.tsv")
"""A word a line, a tab, and how people write it instead."""

COLUMNS = {2: ("en", ""), 3: ("en", "fr", "de"), 4: ("en", "zh", "fr", "de")}
"""What the columns of a file hold, by how many there are; "" is whichever the pair wants."""

WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")

LONGEST = {"zh": 40, "": 24}
"""Characters of Chinese and words of others, beyond which a line of a corpus is left out."""

MISSPELT = 0.4
"""Share of the English sources with words that people misspell, which come misspelt as well."""

VISITORS = {"proverbs.tsv": 20, "visitors.tsv": 12, "names.tsv": 1.5, "phrases.tsv": 10}
"""What visitors type, and how often each line of it comes."""

CHINESE = {
    "tatoeba-en-zh/train.tsv": 1.5,
    "everyday.tsv": 0.6,
    "class.tsv": 2,
    "terms-en-zh.tsv": 0.7,
    "names-en-zh.tsv": 0.8,
    "patterns-en-zh.tsv": 0.2,
    "jec-en-zh/train.tsv": 1,
    "more-en-zh/hsk-sentences.tsv": 1,
    "more-en-zh/wiktionary-examples.tsv": 1,
    "more-en-zh/xcopa.tsv": 1,
    "more-en-zh/xpersona-chat.tsv": 0.6,
    "more-en-zh/3am-captions-core.tsv": 0.3,
    "more-en-zh/zerotohero-grammar.tsv": 1,
    "more-en-zh/storybooks.tsv": 1,
    "more-en-zh/mgsm-sentences.tsv": 1,
    "more-en-zh/crosswoz-human.tsv": 0.3,
    "more-en-zh/multiwoz-human.tsv": 0.3,
    "more-en-zh/xgqa-questions.tsv": 0.3,
    "more-en-zh/cedict-words.tsv": 0.1,
    "more-en-zh/wiktionary-words.tsv": 0.1,
}
FRENCH_GERMAN = {
    "everyday-fr-de.tsv": 0.8,
    "class-fr-de.tsv": 2,
    "terms-en-fr-de.tsv": 0.7,
    "it-en-fr-de.tsv": 1,
    "names-en-fr-de.tsv": 1,
}
MIXTURES = {
    "en-zh": {**VISITORS, **CHINESE},
    "zh-en": {**VISITORS, **CHINESE},
    "en-fr": {
        **VISITORS,
        **FRENCH_GERMAN,
        "tatoeba-en-fr/train.tsv": 1,
        "patterns-en-fr.tsv": 0.3,
        "patterns-en-fr-more.tsv": 0.3,
    },
    "en-de": {
        **VISITORS,
        **FRENCH_GERMAN,
        "tatoeba-en-de/train.tsv": 1,
        "patterns-en-de.tsv": 0.3,
        "names-en-de.tsv": 1,
    },
}
"""By pair, how often a line of each file comes: 1.5 is all of them once, and half of them again."""


def pairs(path: Path, source: str, target: str) -> Iterator[tuple[str, str]]:
    """The lines of a file, as a source and a target."""
    for line in path.read_text(encoding="utf-8").splitlines():
        columns = line.split("\t")
        languages = COLUMNS[len(columns)]
        other = source if target == "en" else target
        texts = {language or other: text for language, text in zip(languages, columns, strict=True)}
        yield texts[source], texts[target]


def fits(text: str, language: str) -> bool:
    """Whether a side is short enough."""
    return (len(text) if language == "zh" else len(text.split())) <= LONGEST.get(
        language, LONGEST[""]
    )


def folded(text: str) -> str:
    """A sentence without case and punctuation."""
    return re.sub(r"[\W_]+", "", text).casefold()


def two_at_once(
    short: list[tuple[str, str]], count: int, name: str, chance: random.Random
) -> Iterator[tuple[str, str]]:
    """Pairs of two short sentences, one after the other."""
    source, target = name.split("-")
    between = ["" if language == "zh" else " " for language in (source, target)]
    for _ in range(count):
        first, second = chance.sample(short, 2)
        yield first[0] + between[0] + second[0], first[1] + between[1] + second[1]


def misspelt(text: list[tuple[str, str]], chance: random.Random) -> Iterator[tuple[str, str]]:
    """Pairs again whose sources have words that people misspell, two in three of them misspelt.

    A form that is a word of the text itself is left out, since a reader takes it for that word.
    """
    written = Counter(word for source, _ in text for word in WORD.findall(source.lower()))
    forms: dict[str, list[str]] = {}
    for line in MISSPELLINGS.read_text(encoding="utf-8").splitlines():
        word, wrong = line.split("\t")
        forms[word] = [form for form in wrong.split() if written[form.lower()] < 20]

    def as_typed(match: re.Match[str]) -> str:
        word = match[0]
        wrong = forms.get(word) or forms.get(word.lower())
        if not wrong or chance.random() < 1 / 3:
            return word
        form = chance.choice(wrong)
        return form[0].upper() + form[1:] if word[0].isupper() else form

    for source, target in text:
        if chance.random() < MISSPELT and (typed := WORD.sub(as_typed, source)) != source:
            yield typed, target


def dev_pairs(name: str, data: Path) -> list[tuple[str, str]]:
    """The pairs to score on."""
    source, target = name.split("-")
    english = "tatoeba-en-" + (target if source == "en" else source)
    return list(pairs(data / english / "dev.tsv", source, target))


def mixture(name: str, data: Path, seed: int) -> list[tuple[str, str]]:
    """All pairs in the order of chance, with their repetitions."""
    source, target = name.split("-")
    dev = {folded(side) for pair in dev_pairs(name, data) for side in pair}
    chance = random.Random(seed)
    text: list[tuple[str, str]] = []
    for file, times in MIXTURES[name].items():
        path = CORPORA / file if (CORPORA / file).exists() else data / file
        lines = [
            pair
            for pair in dict.fromkeys(pairs(path, source, target))
            if fits(pair[0], source) and fits(pair[1], target) and not dev & set(map(folded, pair))
        ]
        whole = int(times)
        part = chance.sample(lines, round((times - whole) * len(lines)))
        text += lines * whole + part
        print(
            f"{file}: {len(lines) * whole + len(part):,} lines of {len(lines):,}", file=sys.stderr
        )
    short = [pair for pair in text if len(pair[0]) <= 40 and pair[0][-1] in ".!?。！？"]
    text += two_at_once(short, 5000, name, chance)
    if source == "en":
        again = list(misspelt(text, chance))
        print(f"misspelt: {len(again):,} lines", file=sys.stderr)
        text += again
    chance.shuffle(text)
    return text


def main() -> None:
    """Writes both files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("pair", choices=MIXTURES)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public corpora")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn [1]")
    args = parser.parse_args()
    text = mixture(args.pair, args.data, args.seed)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    for path, lines in (
        (args.out, text),
        (args.out.with_suffix(".dev.tsv"), dev_pairs(args.pair, args.data)),
    ):
        path.write_text("".join(f"{a}\t{b}\n" for a, b in lines), encoding="utf-8")
        print(f"{path}: {len(lines):,} lines", file=sys.stderr)


if __name__ == "__main__":
    main()
