"""The command line: `python -m transformer COMMAND`.

trace|translate|ask|sweep|describe|teach|train|evaluate|import-marian|models|site|report|course
"""

import argparse
import json
import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.progress import DownloadColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from . import checkpoint
from .checker import report_command as reporting
from .checkpoint.checksums import FILES, check_files, is_checked
from .command_line import add_model_options, console, load_model, typed
from .course import course_command as course
from .errors import HeadlightError
from .inside import ask_command as asking
from .measure import describe_command as describing
from .printed import print_safely
from .show.steps import print_steps
from .site import site_command as sites
from .teach import teach_command as teaching
from .text.codes import code_note
from .text.lines import decode_line
from .trace.sampling import Sampling
from .trace.trace import AttentionTrace
from .training import evaluate_command as evaluating
from .training import train_command as training
from .training.errors import TrainingError
from .translator import Translator

COMMANDS: dict[str, tuple[Any, str]] = {
    "ask": (asking, "ask an analysis of a trace; sweep TEXT is short for ask sweep TEXT"),
    "describe": (describing, "a model over many sentences: what its heads do, what its words mean"),
    "teach": (teaching, "correct one sentence: what does that change?"),
    "train": (training, "train a model"),
    "evaluate": (evaluating, "score a model on sentences with translations"),
    "site": (sites, "the page and its models as files, without a server"),
    "report": (reporting, "what check(…) found: text, JSON, SARIF, or GitHub's annotations"),
    "course": (course, "build a Transformer yourself, step by step"),
}
"""Modules that add their arguments and run, and what they are for."""


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns its exit status: 2 for what the user can put right."""
    print_safely()
    words = typed(sys.argv[1:] if arguments is None else arguments)
    args = _parser().parse_args(["ask", *words] if words[:1] == ["sweep"] else words)
    try:
        return args.run(args) or 0
    except BrokenPipeError:
        # The reader (`head`, say) has had enough. Python would complain once more at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except (HeadlightError, TrainingError) as error:
        return _complain(str(error))
    except ModuleNotFoundError as error:
        return _complain(f"this needs the package {error.name}: pip install -e '.[app,train]'")
    except UnicodeEncodeError as error:  # of a name; what is printed is printed in any encoding
        return _complain(
            f"no file can be called {error.object!r} where names are in {error.encoding}: "
            "set PYTHONUTF8=1"
        )
    except OSError as error:
        return _complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))


def _complain(sentence: str) -> int:
    print(f"error: {sentence}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m transformer", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    trace = commands.add_parser("trace", help="decode one sentence and record its attention")
    group = trace.add_mutually_exclusive_group(required=True)
    group.add_argument("text", nargs="?", help="the sentence; a decoder-only model continues it")
    group.add_argument(
        "--check", type=Path, metavar="FILE", help="say whether a file is a trace: .json or .npz"
    )
    _add_decoding_options(trace)
    _add_sampling_options(trace)
    trace.add_argument("--top-k", type=_positive, default=10, help="candidates a step [10]")
    trace.add_argument(
        "--intervene",
        action="append",
        default=[],
        metavar="KIND.HEAD=EFFECT",
        help="change a head (cross.L2H4=zero), a layer (cross.L2=zero) or all (cross=zero); make "
        "one step look at some tokens alone (cross@4=aim:5,6, both counted from 1); or take a part "
        "away (causal=off, decoder_self.L2.residual=off); may be given several times",
    )
    trace.add_argument("--json", action="store_true", help="write the whole trace as JSON")
    trace.add_argument("--npz", type=Path, metavar="FILE", help="save the whole trace for NumPy")
    trace.set_defaults(run=_trace)

    translate = commands.add_parser("translate", help="translate a text line by line")
    translate.add_argument("file", nargs="?", type=Path, help="default: standard input")
    _add_decoding_options(translate)
    _add_sampling_options(translate)
    translate.set_defaults(run=_translate)

    for name, (command, about) in COMMANDS.items():
        parts = commands.add_parser(name, help=about, description=command.__doc__)
        command.add_arguments(parts)
        parts.set_defaults(run=command.run)

    marian = commands.add_parser("import-marian", help="install a Hugging Face Marian model")
    marian.add_argument("source", help="its folder, or its name on the Hugging Face Hub")
    marian.add_argument("name", nargs="?", default="", help="what to call it [its own name]")
    marian.add_argument("--revision", help="on the hub: a branch, commit or refs/pr/NUMBER")
    marian.set_defaults(run=_import_marian)

    models = commands.add_parser("models", help="list the installed models")
    models.add_argument("--json", action="store_true", help="for programs")
    models.add_argument("--verify", action="store_true", help="compare their files with files.json")
    models.set_defaults(run=_models)
    return parser


def _add_decoding_options(parser: argparse.ArgumentParser) -> None:
    add_model_options(parser)
    parser.add_argument("--max-steps", type=_positive, default=64, help="most tokens to emit [64]")


def _add_sampling_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("sampling", "without any of these, greedy decoding")
    group.add_argument("--temperature", type=float, metavar="T", help="above 0; less is safer [1]")
    group.add_argument(
        "--sample-top-k", type=int, metavar="K", help="draw among the K likeliest tokens [all]"
    )
    group.add_argument(
        "--top-p", type=float, metavar="P", help="draw among the fewest that sum to P [1: all]"
    )
    group.add_argument("--seed", type=int, help="of the first line; each line takes the next [0]")


def _sampling(args: argparse.Namespace, line: int = 0) -> Sampling | None:
    if (args.temperature, args.sample_top_k, args.seed, args.top_p) == (None,) * 4:
        return None
    temperature = 1.0 if args.temperature is None else args.temperature
    top_p = 1.0 if args.top_p is None else args.top_p
    return Sampling(temperature, args.sample_top_k or 0, (args.seed or 0) + line, top_p)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def _trace(args: argparse.Namespace) -> int:
    if args.check:
        return _check_trace(args.check)
    translator = load_model(args)
    _note(args.text, translator)
    trace = translator.trace(
        args.text,
        interventions=args.intervene,
        max_steps=args.max_steps,
        top_k=args.top_k,
        sampling=_sampling(args),
    )
    if args.npz:
        trace.save(args.npz.with_suffix(".npz"))
    if args.json:
        print(json.dumps(trace.to_dict()))
    else:
        print_steps(trace, console())
    return 0


def _check_trace(path: Path) -> int:
    """Says what is in a file that another tool wrote; 2 if it is no trace."""
    try:
        print(repr(AttentionTrace.load(path)))
    except ValueError as error:
        return _complain(str(error))
    return 0


def _translate(args: argparse.Namespace) -> int:
    status, noted = 0, False
    _sampling(args)  # a mistake in it is no line's
    translator = load_model(args)
    with args.file.open("rb") if args.file else nullcontext(sys.stdin.buffer) as lines:
        for number, line in enumerate(lines, 1):
            place = f"line {number}"
            try:
                source = decode_line(line, number).strip()
                if source and not noted:
                    noted = _note(source, translator)
                sampling = _sampling(args, number - 1)
                text = translator.translate(source, args.max_steps, sampling) if source else ""
                print(text, flush=True)
            except HeadlightError as error:
                # The other lines keep their places.
                print(flush=True)
                status = _complain(f"{place}: {error}")
    return status


def _note(source: str, translator: Translator) -> bool:
    """Says, beside what a program reads, that a text names no language where it could."""
    note = code_note(source, translator.tokenizer)
    if note:
        print(f"note: {note}", file=sys.stderr)
    return bool(note)


def _import_marian(args: argparse.Namespace) -> None:
    from .checkpoint.hub.progress import Progress
    from .checkpoint.importing.import_model import import_model
    from .measure.representative import measure_by_examples

    with Bar(*Bar.get_default_columns(), DownloadColumn(), transient=True) as bar:
        task = bar.add_task("Fetching", total=None, visible=False)

        def show(progress: Progress) -> None:
            received, total = progress.received, progress.total
            bar.update(task, completed=received, total=total, visible=total > 0)

        folder = import_model(args.source, args.name, args.revision, Progress(show))
    measure_by_examples(folder)
    print(f"{folder}: python -m transformer trace --model {folder.name} TEXT")


def _models(args: argparse.Namespace) -> int:
    if args.verify:
        return _verify()
    models: list[dict[str, Any]] = []
    for name in checkpoint.available():
        folder = checkpoint.find(name)
        size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
        try:
            card = checkpoint.read_card(folder)
        except HeadlightError as error:
            card = {"title": {"en": f"broken: {error}"}}
        models.append({"name": name, "folder": str(folder), "bytes": size, "card": card})
    if args.json:
        print(json.dumps(models))
        return 0
    if not models:
        print(f"No models in {checkpoint.checkpoints_folder()}.")
        return 0
    table = Table("model", "what it does", "size", "scores", box=None, padding=(0, 2, 0, 0))
    for model in models:
        card = model["card"]
        scores = card.get("scores", {}).items()
        figures = "  ".join(f"{key} {value}" for key, value in scores if key != "signature")
        title = card.get("title", {}).get("en", "")
        table.add_row(
            Text(model["name"]), Text(title), f"{model['bytes'] / 1e6:.1f} MB", Text(figures)
        )
    console().print(table)
    return 0


def _verify() -> int:
    status = 0
    for name in checkpoint.available():
        folder = checkpoint.find(name)
        state = "as it was made" if is_checked(folder) else f"has no {FILES} to compare with"
        try:
            check_files(folder, checkpoint.CONFIG)
        except HeadlightError as error:
            state, status = str(error), 1
        print(f"{name}: {state}")
    return status


if __name__ == "__main__":
    sys.exit(main())
