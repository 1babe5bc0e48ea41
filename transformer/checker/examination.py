"""One examination: the order of the probes, and what each may know of the others."""

from contextlib import suppress
from dataclasses import replace

from torch import Tensor

from ..eyes.batches import Batch, Maker, is_padded, other_padding
from ..eyes.calling import Caller, CallFailed
from .anatomy.look import Inside, look_inside
from .basis.clues import OF_CROSS, OF_LOSS, OF_TARGET, Clues
from .basis.shapes import Shapes, find_shapes
from .probes.loss import Loss, probe_loss
from .probes.order import probe_batch, source_order_change
from .probes.padding import nan_rows, neighbour_change, padding_change, read_padded
from .probes.prefix import prefix_change
from .probes.repeat import probe_repeats
from .probes.training import training_leak
from .probes.visibility import Visibility, measure_visibility

SHORT = 12  # tokens that show as well as a thousand what a sentence is looked up in


class _Step:
    """Whatever a probe runs into, the others go on, and its codes are unknown."""

    def __init__(self, examination: "Examination", codes: tuple[str, ...]) -> None:
        self._examination = examination
        self._codes = codes

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: object
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        name = "" if isinstance(error, CallFailed) else f"{type(error).__name__}: "
        problem = self._examination.note(f"{name}{error}")
        self._examination.failure = error
        self._examination.clues.cannot_tell("not_run", *self._codes, error=problem)
        return True


class Examination:
    """Everything that is measured on one module; `verdicts` makes sense of it.

    Attributes:
        clues: what the probes and the look inside found on their own.
        problems: what could not be run.
        failure: the last thing that was raised.
        shapes: the sizes of batches that the module can read.
        seen: which tokens change which logits.
        inside: what the recordings show.
        order: the most that swapping two source words, and that changing one, changes the logits.
        padding: the most that padding changes the logits.
        neighbour: the most that padding in other sentences changes the logits of one.
        prefix: of how many tokens a prefix was read alone, and how much its logits changed.
        in_training: the most that a token changes what stands before it, in `train()`.
        nan: of the padded batch, which logits are NaN.
        own_nan: whether the user's own batch gives NaN.
        other_pad: the token that looks like padding instead of `pad_id`.
        is_padded: whether the user's own batch holds padding.
    """

    def __init__(self, caller: Caller, maker: Maker, pad_id: int) -> None:
        self.caller = caller
        self.maker = maker
        self.pad_id = pad_id
        self.clues = Clues()
        self.problems: list[str] = []
        self.failure: Exception | None = None
        self.shapes: Shapes | None = None
        self.seen: Visibility | None = None
        self.inside: Inside | None = None
        self.order: tuple[float, float] | None = None
        self.padding: float | None = None
        self.neighbour: float | None = None
        self.prefix: tuple[int, float] | None = None
        self.in_training: float | None = None
        self.nan: Tensor | None = None
        self.own_nan = False
        self.other_pad = maker.avoid
        self.is_padded = is_padded(maker.own, pad_id)

    @property
    def has_source(self) -> bool:
        """Whether there is a source beside the target."""
        return self.maker.own.src is not None

    @property
    def encoder_only(self) -> bool:
        """Whether the one tower is an encoder."""
        return self.maker.own.encoder

    @property
    def irrelevant(self) -> set[str]:
        """The codes that do not apply to such a module at all."""
        if self.has_source:
            return set()
        if self.encoder_only:
            return OF_CROSS | OF_TARGET | {"target_not_shifted", "target_shift_wrong"}
        return {*OF_CROSS, "padding_attended", "causal_in_encoder"}

    def _step(self, *codes: str) -> "_Step":
        return _Step(self, codes)

    def note(self, problem: str) -> str:
        """Something could not be run; what is left of it in one line."""
        short = problem.strip().splitlines()[0][:300] if problem.strip() else "?"
        if short not in self.problems:
            self.problems.append(short)
        return short

    def run(self, loss: Loss | None) -> None:
        """Runs all probes, whatever each of them finds."""
        own = self.maker.own
        with self._step():
            sizes = self._vocabularies(own)
            self.maker = Maker(own, self.pad_id, *sizes, avoid=self.other_pad)
        with self._step():
            self.shapes = find_shapes(self.caller, self.maker)
        if self.shapes is not None:
            self._probe(self.shapes)
        if self.shapes is None and not self.problems:
            self.note("the module could not be called")
        if loss is None:
            self.clues.cannot_tell("no_loss", *OF_LOSS)
        else:
            self._examine_loss(loss)

    def _vocabularies(self, own: Batch) -> tuple[int, int]:
        """Sizes of both vocabularies, by beginnings of long sentences if the module reads them."""
        if max(ids.size(1) for ids in (own.src, own.tgt) if ids is not None) > SHORT:
            src = None if own.src is None else own.src[:, :SHORT]
            with suppress(CallFailed):
                return self.caller.vocabularies(replace(own, src=src, tgt=own.tgt[:, :SHORT]))
        return self.caller.vocabularies(own)

    def _probe(self, shapes: Shapes) -> None:
        plain, logits = shapes.plain, shapes.logits
        with self._step("dropout_in_eval", "positions_not_reset"):
            logits = probe_repeats(self.caller, plain, logits, self.clues)
        padded = self.maker.padded(plain)
        with self._step("batch_leak", "future_leak"):
            self.seen = measure_visibility(self.caller, self.maker, plain, logits)
        seen = self.seen
        of_padded = read_padded(self.caller, padded)
        if seen is not None and seen.usable:
            with self._step("batch_leak"):
                probe_batch(self.caller, seen, self.clues)
                self.neighbour = neighbour_change(padded, of_padded, seen)
            with self._step("no_positions"):
                self.order = source_order_change(self.caller, seen)
            with self._step("padding_attended"):
                self.padding = padding_change(self.caller, self.maker, seen)
            self._probe_more(seen)
        with self._step("nan_on_padded_row"):
            self.nan = nan_rows(self.caller, padded, of_padded)
        with self._step("nan_on_padded_row"):
            if self.is_padded:
                own = self.maker.own
                nan = nan_rows(self.caller, own, read_padded(self.caller, own))
                self.own_nan = nan is not None and bool(nan.any())
        with self._step("parameter_unused", "layers_not_run", "made_in_forward"):
            self.inside = look_inside(self.caller, plain, padded, self.pad_id, self._step)

    def _probe_more(self, seen: Visibility) -> None:
        if self.encoder_only:
            return
        with self._step("prefix_differs"):
            self.prefix = prefix_change(self.caller, seen)
            if self.prefix is None:
                self.clues.cannot_tell("one_length", "prefix_differs")
        with suppress(CallFailed):  # what cannot be trained, its user meets at once
            self.in_training = training_leak(self.caller, self.maker, seen)

    def _examine_loss(self, loss: Loss) -> None:
        batch = self.maker.own
        if self.shapes is not None:
            batch = self.maker.padded(self.shapes.plain)
            if not self.is_padded or bool(batch.tgt[:, 0].eq(self.pad_id).all()):
                batch = self.shapes.plain
        if not self.is_padded and self.other_pad is None:
            self.clues.cannot_tell("no_padding_given", "pad_in_loss", pad_id=self.pad_id)
        with self._step(*OF_LOSS):
            probe_loss(self.caller, loss, batch, self.pad_id, self.clues)


def examine(caller: Caller, own: Batch, pad_id: int, loss: Loss | None) -> Examination:
    """Runs an examination."""
    maker = Maker(own, pad_id, avoid=other_padding(own, pad_id))
    examination = Examination(caller, maker, pad_id)
    examination.run(loss)
    return examination
