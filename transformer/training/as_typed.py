"""Sources as people type them: in lower case, without closing punctuation, with typos."""

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from .data import Text

WORD = re.compile(r"(?<![^\s\"'(-])[A-Za-z][a-z']{2,}[a-z](?![^\s\"',.!?;:)-]|[.:]\S)")
"""Words of four letters and more; no part of an address, a brand or a word with an accent."""

KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
VOWELS = "aeiou"

HOMOPHONES = (
    "的得地 在再 做作座坐 他她它 那哪 已以 像象向想 吗嘛 带戴 账帐 们门 到道 是事时 近进 "
    "完玩 请清情晴 园圆元 话画化 题提 明名 心新 工公 常长 气汽 受收 望忘 见件间 须需 "
    "练炼 棵颗 副幅 候后 因音 其期 每美 有又友 要药 听停 里理 书数 学雪 课客 "
    "钱前 试式 机鸡 级极 休修 城成 包饱 语雨 记计 知只 中钟 国果"
)
"""Characters that an input method offers for the same syllable, a group each."""

SAME_SOUND = {sign: group for group in HOMOPHONES.split() for sign in group}
"""By character, its group."""


def plain_copies(texts: Sequence[Text], share: float, seed: int) -> list[Text]:
    """Some of the texts again, in lower case and without closing punctuation.

    Args:
        texts: what to draw from; sources that stay the same, or of which nothing stays, are left.
        share: of the texts, 0 to 1.
        seed: of the choice.
    """
    drawn = np.random.default_rng(seed).random(len(texts)) < share
    copies = (
        Text(_plain(text.source), text.target)
        for text, take in zip(texts, drawn, strict=True)
        if take
    )
    sources = {text.source for text in texts}
    return [copy for copy in copies if copy.source and copy.source not in sources]


def mistyped_copies(texts: Sequence[Text], share: float, seed: int) -> list[Text]:
    """Some of the texts again with typos in the source, half of them plain as well.

    One word, or in a third of the copies two, loses a letter, doubles it, exchanges it with the
    next or has another one instead: of a neighbouring key, or a vowel for a vowel. A first letter
    stays, as it nearly always does. Names stay whole, since their letters decide the target: a
    word that the sources mostly write with a capital counts as one. In Chinese a character becomes
    another of the same sound.

    Args:
        texts: what to draw from; sources without a word to mistype are left.
        share: of the texts, 0 to 1.
        seed: of the choice, the words and the typos.
    Source: Pollock and Zamora 1984, "Automatic Spelling Correction in Scientific and Scholarly
        Text", on which typos people make.
    """
    chance = random.Random(seed)
    written = Counter(word for text in texts for word in WORD.findall(text.source))
    words = {word for word, n in written.items() if word.islower() and n >= written[word.title()]}
    sources = {text.source for text in texts}
    copies: list[Text] = []
    for text in texts:
        if chance.random() >= share:
            continue
        source = _mistyped(text.source, words, chance)
        if chance.random() < 1 / 2:
            source = _plain(source)
        if source and source not in sources and source != _plain(text.source):
            copies.append(Text(source, text.target))
    return copies


def _plain(text: str) -> str:
    while text and (text[-1].isspace() or unicodedata.category(text[-1]).startswith("P")):
        text = text[:-1]
    return text.lower()


def _mistyped(source: str, words: set[str], chance: random.Random) -> str:
    places = [match.span() for match in WORD.finditer(source) if match[0].lower() in words]
    if not places:
        return _misheard(source, chance)
    typos = min(len(places), 1 + (chance.random() < 1 / 3))
    for start, end in sorted(chance.sample(places, typos), reverse=True):
        slip = chance.choice(SLIPS)
        source = source[:start] + slip(source[start:end], chance) + source[end:]
    return source


def _misheard(source: str, chance: random.Random) -> str:
    places = [i for i, sign in enumerate(source) if sign in SAME_SOUND]
    if not places:
        return source
    place = chance.choice(places)
    other = chance.choice(SAME_SOUND[source[place]].replace(source[place], ""))
    return source[:place] + other + source[place + 1 :]


def _drop(word: str, chance: random.Random) -> str:
    place = chance.randrange(1, len(word))
    return word[:place] + word[place + 1 :]


def _double(word: str, chance: random.Random) -> str:
    place = chance.randrange(1, len(word))
    return word[:place] + word[place] + word[place:]


def _exchange(word: str, chance: random.Random) -> str:
    place = chance.randrange(1, len(word) - 1)
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def _replace(word: str, chance: random.Random) -> str:
    place = chance.choice([i for i in range(1, len(word)) if word[i] != "'"])
    letter = word[place]
    others = VOWELS.replace(letter, "") if letter in VOWELS and chance.random() < 1 / 2 else ""
    return word[:place] + chance.choice(others or NEIGHBOURS[letter]) + word[place + 1 :]


SLIPS: tuple[Callable[[str, random.Random], str], ...] = (_drop, _double, _exchange, _replace)


def _neighbours() -> dict[str, str]:
    at = {key: (x + y / 2, y) for y, row in enumerate(KEYBOARD) for x, key in enumerate(row)}
    return {
        key: "".join(
            other
            for other, (across, down) in at.items()
            if other != key and abs(across - x) <= 1 and abs(down - y) <= 1
        )
        for key, (x, y) in at.items()
    }


NEIGHBOURS = _neighbours()
"""The keys around each letter's, of a keyboard with QWERTY."""
