"""The training loop: teacher forcing on batches of tokens, measured and saved as it goes.

RUN/recipe.json  tokenizer files  curve.csv  curve.html  history.npz
    state.pt     from which the same command goes on
    best/ last/  checkpoints; recent/ the weights that an average is made of
"""

import math
import signal
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from itertools import islice
from pathlib import Path

import torch
from torch import nn

from ..checkpoint import Checkpoint
from ..model.towers import Model, build_model
from ..text.tokenizer import PAD_ID, seed_sampling
from ..translator import Translator
from . import report
from .as_typed import mistyped_copies, plain_copies
from .curve import draw_curve
from .data import (
    Example,
    Text,
    batch_stream,
    collate,
    encode,
    longest_source,
    predict,
    read_pairs,
    read_text,
)
from .errors import TrainingError, only_one, writing_to
from .evaluate import cross_entropy, measure
from .history import CURVE, History
from .history import FILE as HISTORY
from .moments import add_moment, choose_pairs, describe, log_spaced
from .optimizer import make_optimizer
from .parallel import Processes
from .precision import linear_precision
from .progress import ProgressLine, say
from .recipe import Recipe
from .run_folder import keep_checkpoint, keep_recent, write_curve
from .state import load_state, save_state
from .tokenizers import Tokenizers, choose_tokenizers, store_tokenizers, stored_tokenizers
from .unlikelihood import digits, unlikelihood
from .warm_start import inherit, load_parent

SAVE_SECONDS = 600
"""A run's state is never older, whatever `save_every` says: steps may take minutes."""


class Trainer:
    """One run, from its recipe, in its folder; where a run was interrupted, it goes on.

    Args:
        recipe: what to do.
        folder: of the run.

    Raises:
        TrainingError: the data or the recipe cannot be trained on; see its sentence.
    """

    def __init__(self, recipe: Recipe, folder: Path) -> None:
        # Numbers too small to matter are slow to multiply.
        torch.set_flush_denormal(True)
        self.recipe = recipe
        self.folder = folder
        self.processes = Processes()
        read = read_text if recipe.decoder_only else read_pairs
        train = [text for path in recipe.train for text in read(Path(path))]
        dev = read(Path(recipe.dev))
        parent = load_parent(recipe) if recipe.start_from else None
        with self.processes.first(), writing_to(folder):
            self.tokenizer, self.tgt_tokenizer = self._prepare_folder(train, parent)
        train += [
            *plain_copies(train, recipe.plain_share, recipe.seed),
            *mistyped_copies(train, recipe.typo_share, recipe.seed),
        ]
        self.examples = self._encode(train)
        self.dev = self._encode(dev)
        self.skipped = len(train) + len(dev) - len(self.examples) - len(self.dev)
        torch.manual_seed(recipe.seed)
        tgt_tokenizer = self.tgt_tokenizer or self.tokenizer
        card = {
            "source_language": recipe.source_language,
            "target_language": recipe.target_language,
            "longest": longest_source(self.examples),
        }
        config = recipe.config(self.tokenizer.vocab_size, tgt_tokenizer.vocab_size)
        self.model: Model = build_model(config)
        if parent:
            inherit(self.model, self.tokenizer, tgt_tokenizer, parent)
        self.digits = digits(tgt_tokenizer).to(self.processes.device)
        self.shared = self.processes.share(self.model)
        self.trained = Checkpoint(
            *("", self.model, self.tokenizer, card, self.tgt_tokenizer, recipe.normalise)
        )
        self.optimizer = make_optimizer(self.model, recipe)
        self.progress = load_state(folder, self.model, self.optimizer)
        self.precision = linear_precision(recipe.precision, self.processes.device)
        self.watched = choose_pairs(self.dev)
        self.history = self._load_history()
        self.history_steps = frozenset(log_spaced(recipe.steps))
        self.interrupted = False

    def _prepare_folder(self, train: list[Text], parent: Checkpoint | None) -> Tokenizers:
        recipe_path = self.folder / "recipe.json"
        if recipe_path.exists():
            self.recipe.check_continues(recipe_path)
        stored = stored_tokenizers(self.folder)
        tokenizers = stored or choose_tokenizers(train, self.recipe, parent)
        if self.processes.main:
            self.folder.mkdir(parents=True, exist_ok=True)
            with only_one(self.folder):
                if not stored:
                    store_tokenizers(self.folder, tokenizers)
                self.recipe.save(recipe_path)
        return tokenizers

    def _encode(self, texts: list[Text], sampling_alpha: float = 0.0) -> list[Example]:
        return encode(
            texts,
            self.tokenizer,
            self.recipe.max_length,
            sampling_alpha,
            tgt_tokenizer=self.tgt_tokenizer,
            normalise=self.recipe.normalise,
        )

    def _load_history(self) -> History:
        path = self.folder / HISTORY
        if self.progress.step and path.exists():
            return History.load(path).up_to(self.progress.step)
        pairs = [describe(pair, self.tokenizer, self.tgt_tokenizer) for pair in self.watched]
        return History(pairs)

    def end(self) -> None:
        """Parts from the other processes; the model stays."""
        # What averages gradients holds a connection: at the interpreter's end it would abort it.
        self.shared = self.model
        self.processes.end()

    def say(self, text: str) -> None:
        """Tells the person who started it, once."""
        if self.processes.main:
            say(text)

    def run(self) -> None:
        """Trains until the last step, an early stop or Ctrl-C, which saves.

        Raises:
            TrainingError: the loss is no longer a number, the disk is full, or the run is being
                trained already. What was saved last is whole, and the run goes on from there.
        """
        others_out = only_one(self.folder) if self.processes.main else nullcontext()
        with writing_to(self.folder), others_out, self._ctrl_c():
            self._run()

    def _run(self) -> None:
        recipe, progress = self.recipe, self.progress
        if progress.step == 0:
            self._trace()
            if self.processes.main:
                draw_curve(self.folder, progress.curve)
        batches = batch_stream(self.examples, recipe.batch_tokens, recipe.seed)
        bar = ProgressLine(recipe.steps, progress.step) if self.processes.main else None
        self.model.train()
        start, seconds_before = progress.step, progress.seconds
        saved = time.monotonic()
        with closing(bar) if bar else nullcontext():
            for epoch, batch in islice(batches, progress.step, recipe.steps):
                began = time.perf_counter()
                loss, tokens = self.learn(batch)
                progress.add(loss, tokens, time.perf_counter() - began)
                if bar:
                    bar.advance(f"loss {loss / tokens:.2f}, {progress.speed:,.0f} tokens/s")
                if progress.step == start + report.FORECAST_AFTER:
                    seconds = (progress.seconds - seconds_before) / report.FORECAST_AFTER
                    self.say(report.forecast(recipe, progress.step, seconds))
                if progress.step in self.history_steps:
                    self._trace()
                measured = progress.step % recipe.eval_every == 0 or progress.step == recipe.steps
                if measured:
                    self._measure(epoch)
                self.interrupted = bool(self.processes.highest(self.interrupted))
                due = progress.step % recipe.save_every == 0
                if measured or self.interrupted or due or time.monotonic() - saved >= SAVE_SECONDS:
                    self._save()
                    saved = time.monotonic()
                if self.interrupted:
                    return
                if 0 < recipe.patience <= progress.since_best:
                    break
        if progress.step not in self.history.weights:
            self._trace()  # Stopped early: the history ends with the trained model too.

    def learn(self, batch: list[int]) -> tuple[float, int]:
        """One optimiser step; returns the summed loss and number of tokens of the whole batch."""
        recipe, processes, step = self.recipe, self.processes, self.progress.step + 1
        # Every step has random numbers of its own, so a resumed run draws the same ones.
        torch.manual_seed((recipe.seed << 40) + (step << 12) + processes.rank)
        examples = [self.examples[index] for index in batch]
        if recipe.sampling_alpha:
            seed_sampling(step)
            examples = self._encode([example.text for example in examples], recipe.sampling_alpha)
        tokens = sum(len(example.tgt) - 1 for example in examples)
        share = examples[processes.rank :: processes.count]
        src, tgt = collate(share or examples[:1])
        if not share:
            tgt[:, 1:] = PAD_ID  # This process has nothing to learn, but must take part.
        src, tgt = src.to(processes.device), tgt.to(processes.device)
        with self.precision():
            logits = predict(self.shared, src, tgt)
        loss = cross_entropy(logits, tgt, recipe.label_smoothing)
        if recipe.unlikelihood:
            loss = loss + recipe.unlikelihood * unlikelihood(logits, tgt, self.digits)
        # Gradients are averaged over the processes; what is wanted is the mean over all tokens.
        processes.backward(loss * (processes.count / tokens))
        norm = nn.utils.clip_grad_norm_(self.shared.parameters(), recipe.clip)
        total = processes.total(loss)
        if not math.isfinite(total) or not math.isfinite(float(norm)):
            raise TrainingError(
                f"the loss is no longer a number at step {step}. The last good state is kept in "
                f"{self.folder}: go on from it with a lower --learning-rate"
            )
        for group in self.optimizer.param_groups:
            group["lr"] = recipe.learning_rate_at(step)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.progress.step = step
        return total, tokens

    def _trace(self) -> None:
        if self.processes.main:
            add_moment(self.history, self.progress.step, self.model, self.watched)
            self.history.save(self.folder / HISTORY)

    def _measure(self, epoch: int) -> None:
        """Measures on the dev examples; keeps the model as the last, and as the best if it is."""
        progress, recipe = self.progress, self.recipe
        if self.processes.main:
            self.model.eval()
            translator = Translator(self.trained)
            measured = measure(translator, self.dev)
            row: dict[str, float] = {
                "step": progress.step,
                "epoch": epoch + 1,
                "minutes": round(progress.seconds / 60, 2),
                "tokens_per_second": round(progress.speed),
                "learning_rate": recipe.learning_rate_at(progress.step),
                "train_loss": round(progress.loss / progress.tokens, 4),
                "dev_loss": round(measured.loss, 4),
            }
            if scores := measured.scores:
                row |= {"bleu": round(scores.bleu, 2), "chrf": round(scores.chrf, 2)}
            progress.curve.append(row)
            draw_curve(self.folder, progress.curve)
            self.say(report.measurement(row))
            for line in report.samples(translator, self.history.pairs, measured.translations):
                self.say(line)
            self.model.train()
            progress.since_best += 1
            names = ["last"]
            if measured.figure > progress.best:
                progress.best, progress.since_best = measured.figure, 0
                names.append("best")
            for name in names:
                keep_checkpoint(self.folder / name, self.trained, measured)
            keep_recent(self.folder, progress.step, self.model, recipe.average)
        progress.start_interval()
        progress.since_best = self.processes.highest(progress.since_best)

    def _save(self) -> None:
        if self.processes.main:
            write_curve(self.folder / CURVE, self.progress.curve)
            save_state(self.folder, self.progress, self.model, self.optimizer)

    @contextmanager
    def _ctrl_c(self) -> Iterator[None]:
        """Lets Ctrl-C end the step in hand and save; a second one ends at once."""

        def interrupt(_signal: int, _frame: object) -> None:
            self.interrupted = True
            signal.signal(signal.SIGINT, before)

        before = signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
