"""What makes a checkpoint understood: what its words mean, and by that where the page opens."""

from collections.abc import Sequence
from pathlib import Path

from ..checkpoint import CONFIG
from ..checkpoint.card import write_card
from ..checkpoint.checksums import is_checked, write_checksums
from ..checkpoint.lexicon import Lexicon, write_lexicon
from ..trace.head_names import Opening, RepresentativeHead
from ..trace.kinds import Kind
from ..translator import Device, Translator
from .lexicon import learn_lexicon, words_in
from .opening import opening_of
from .representative import as_card

PAIRS = 150_000
"""The most that a lexicon is learned from: they take 2 GB of memory."""


def learned_from(translator: Translator, texts: Sequence[tuple[str, str]]) -> Lexicon:
    """The lexicon of a model of two languages, learned from sentences with their translations."""
    src, tgt = translator.tokenizer, translator.tgt_tokenizer
    return learn_lexicon(
        (words_in(src, translator.reads(one)), words_in(tgt, other))
        for one, other in _chosen(texts)
    )


def _chosen(texts: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    return texts[:: -(-len(texts) // PAIRS) or 1]


def explain(
    folder: Path, texts: Sequence[tuple[str, str]], device: Device = "cpu"
) -> tuple[Lexicon, Opening | None]:
    """Learns the lexicon of a checkpoint, and writes it and where to open into its folder.

    Args:
        folder: of a checkpoint of two languages.
        texts: sentences with their translations.
        device: for the model.
    Raises:
        CheckpointError: the checkpoint is broken.
    """
    lexicon = learned_from(Translator.load(folder, device), texts)
    checked = is_checked(folder)
    write_lexicon(folder, lexicon)
    if checked:
        write_checksums(folder, CONFIG)
    translator = Translator.load(folder, device)  # again, with its lexicon
    representative = translator.representative_heads.get("cross")
    opening = opening_of(translator, [source for source, _ in _chosen(texts)])
    if representative is None or opening is None:
        return lexicon, None
    heads: dict[Kind, RepresentativeHead] = {
        **translator.representative_heads,
        "cross": representative._replace(opening=opening),
    }
    write_card(folder, {**translator.card, "heads": as_card(heads)})
    return lexicon, opening
