"""`python -m transformer evaluate`: how good a model is, in figures."""

import argparse
from pathlib import Path
from time import perf_counter

from rich.table import Table

from ..command_line import add_model_options, console, load_model
from ..errors import HeadlightError
from ..translator import Translator
from .data import Text, encode, read_pairs, read_text
from .score_alignment import read_links, score_alignment


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `evaluate`."""
    add_model_options(parser)
    parser.add_argument("--data", type=Path, required=True, help="source TAB target lines")
    parser.add_argument("--out", type=Path, help="file for the translations, line by line")
    parser.add_argument(
        "--align",
        type=Path,
        metavar="GOLD",
        help="score cross-attention as a word aligner: links in Pharaoh format (0-0 1?2), a line "
        "for each pair of the data, whose words stand between spaces in Chinese too",
    )


def run(args: argparse.Namespace) -> None:
    """Prints scores, speed and, if asked to, alignment error rates.

    Raises:
        HeadlightError: the model cannot be loaded, or cannot align.
        TrainingError: a file cannot be used; see its sentence.
    """
    from .evaluate import measure

    translator = load_model(args)
    config = translator.config
    texts = (read_text if config.decoder_only else read_pairs)(args.data)
    if args.align:
        _print_alignment(translator, texts, args.align)
        return
    examples = encode(
        texts,
        translator.tokenizer,
        config.max_length,
        tgt_tokenizer=translator.tgt_tokenizer,
        normalise=translator.loaded.normalise,
        bos_id=config.bos_id,
        eos_id=config.eos_id,
    )
    start = perf_counter()
    measured = measure(translator, examples)
    seconds = perf_counter() - start
    if args.out:
        lines = "".join(f"{measured.translations.get(text.source, '')}\n" for text in texts)
        args.out.write_text(lines, encoding="utf-8")
    for name, figure in measured.figures().items():
        print(f"{name}: {figure}")
    print(f"sentences: {len(examples)}, {len(texts) - len(examples)} left out as too long")
    print(f"sentences/s: {len(examples) / seconds:.1f}")


def _print_alignment(translator: Translator, texts: list[Text], gold: Path) -> None:
    if translator.config.decoder_only:
        raise HeadlightError(
            "no_cross_attention", f"{translator.name} is decoder-only: it has no source to align"
        )
    scores = score_alignment(translator, texts, read_links(gold))
    table = Table("head", "rows that predict", "rows that read", box=None)
    for score in scores:
        table.add_row(score.name, f"{score.predicts:.3f}", f"{score.reads:.3f}")
    print("Alignment error rate, where a target word's rows are those that")
    console().print(table)
    best = min(scores, key=lambda score: min(score.predicts, score.reads))
    rate, which = min((best.predicts, "predicts"), (best.reads, "reads"))
    print(f"best: {rate:.3f}, {best.name}, by the row that {which} a word")
