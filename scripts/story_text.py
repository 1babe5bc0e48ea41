"""English sentences for a decoder such as `story`: Tatoeba's, our own and those of storybooks.

    python -m scripts.story_text --data FOLDER --out runs/story.txt

FOLDER holds the public corpora that the card names, one folder each. Every sentence comes once.
Some come again in lines of two that share two words in a row, so what stood before helps to say
what comes next; a sentence of a storybook comes with the one after it, too. No sentence on which
translators are scored comes into the text; runs/story.dev.txt is 1,000 of their English sides.
"""

import argparse
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from scripts.mixture import CORPORA, folded, pairs

TATOEBA = ("zh", "fr", "de")
STORYBOOKS = "more-en-zh/storybooks.tsv"
OUR_OWN = {
    "class.tsv": 1,
    "class-fr-de.tsv": 1,
    "everyday.tsv": 1,
    "everyday-fr-de.tsv": 1,
    "it-en-fr-de.tsv": 0.3,
    "names.tsv": 0.2,
    "patterns-en-fr.tsv": 0.1,
    "patterns-en-zh.tsv": 0.1,
    "phrases.tsv": 1,
    "proverbs.tsv": 1,
    "terms-en-fr-de.tsv": 0.2,
    "terms-en-zh.tsv": 0.2,
    "visitors.tsv": 1,
}
"""The share of each file's lines."""

DEV = 1000
FEWEST, MOST = 2, 28
"""Words of a sentence."""

TWOS = 60_000
RARE = 40
"""Sentences that share two words, at most: those of more are no surprise."""

NAMES = {
    "Tom": "Adam Ali Ben Carlos Daniel David Emil Felix Hugo Jack James Jonas Karim Leo Liam "
    "Lucas Marco Max Nathan Omar Paul Peter Samuel Victor Wei",
    "Mary": "Alice Amina Anna Clara Emma Eva Fatima Grace Hannah Ines Julia Laura Lea Lily Lucy "
    "Maria Mei Mia Nina Nora Olivia Rosa Sara Sofia Zoe",
}
"""By name, those that take its place: these two stand in a sixth of Tatoeba."""

WORD = re.compile(r"[A-Za-z']+|\d+")


def fits(sentence: str) -> bool:
    """Whether a line is one sentence that ends, and of a length that the model reads."""
    return (
        FEWEST <= len(sentence.split()) <= MOST and sentence[0].isupper() and sentence[-1] in ".!?"
    )


def renamed(sentence: str, chance: random.Random) -> str:
    """A sentence with other names than Tom and Mary in three of four cases."""
    for name, others in NAMES.items():
        if re.search(rf"\b{name}\b", sentence) and chance.random() < 3 / 4:
            sentence = re.sub(rf"\b{name}\b", chance.choice(others.split()), sentence)
    return sentence


def english(path: Path) -> Iterator[str]:
    """The English sides of a file of pairs."""
    return (source for source, _ in pairs(path, "en", "zh" if "zh" in str(path) else "fr"))


def two_that_share(sentences: list[str], count: int, chance: random.Random) -> Iterator[str]:
    """Lines of two sentences that have two words in a row in common, which few others have."""
    shared: dict[tuple[str, str], list[str]] = defaultdict(list)
    for sentence in sentences:
        words = WORD.findall(sentence)
        for two in dict.fromkeys(pairwise(words[1:])):
            shared[two].append(sentence)
    groups = [group for group in shared.values() if 2 <= len(group) <= RARE]
    for _ in range(count):
        first, second = chance.sample(chance.choice(groups), 2)
        if len(first.split()) + len(second.split()) <= MOST:
            yield f"{first} {second}"


def text(data: Path, seed: int) -> tuple[list[str], list[str]]:
    """The lines to learn from, in the order of chance, and those to score on."""
    chance = random.Random(seed)
    folders = [data / f"tatoeba-en-{other}" for other in TATOEBA]
    kept = sorted({side for folder in folders for side in english(folder / "dev.tsv")})
    dev = {folded(side) for side in kept}

    def new(lines: Iterable[str]) -> list[str]:
        return [line for line in dict.fromkeys(lines) if fits(line) and folded(line) not in dev]

    tatoeba = new(side for folder in folders for side in english(folder / "train.tsv"))
    stories = new(english(data / STORYBOOKS))
    own: list[str] = []
    for file, share in OUR_OWN.items():
        lines = new(english(CORPORA / file))
        own += chance.sample(lines, round(share * len(lines)))
    sentences = list(dict.fromkeys([*(renamed(line, chance) for line in tatoeba), *own, *stories]))
    following = [f"{one} {next_one}" for one, next_one in pairwise(stories)]
    twos = list(two_that_share(sentences, TWOS, chance))
    print(
        f"{len(tatoeba):,} of Tatoeba, {len(own):,} our own, {len(stories):,} of storybooks; "
        f"{len(twos) + len(following):,} lines of two",
        file=sys.stderr,
    )
    lines = [*sentences, *following, *twos]
    chance.shuffle(lines)
    return lines, chance.sample([line for line in kept if fits(line)], DEV)


def main() -> None:
    """Writes both files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public corpora")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn [1]")
    args = parser.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    for path, lines in zip(
        (args.out, args.out.with_suffix(".dev.txt")), text(args.data, args.seed), strict=True
    ):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        print(f"{path}: {len(lines):,} lines", file=sys.stderr)


if __name__ == "__main__":
    main()
