"""The façade: text in, translation or trace out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from . import checkpoint
from .checkpoint import Checkpoint
from .decoding import Hypothesis, Sampling, check_prefix, decode
from .errors import HeadlightError
from .half_linear import read_weights_as_half
from .hooks import KINDS, Intervention, Kind, Recording, intervene, record, record_projections
from .model import LanguageModel
from .tokenizer import valid_unicode
from .trace import AttentionTrace, Candidate, read_only
from .worked_out import WorkedOut, check_head, worked_out

Device = Literal["cpu", "cuda", "auto"]


def use_one_thread() -> None:
    """Computes on one thread from now on, in this process: what a server of small models wants.

    Two OpenMP threads wait for each other at every small product; with one busy core beside them, a
    trace took fifteen times as long.
    """
    torch.set_num_threads(1)


class Translator:
    """A checkpoint ready for use. It keeps no state between calls; threads may share it.

    A decoder-only checkpoint has no source: it continues the text that it is given.
    """

    def __init__(self, loaded: Checkpoint) -> None:
        self.name = loaded.name
        self.card = loaded.card
        self.model = loaded.model
        self.tokenizer = loaded.tokenizer
        self.tgt_tokenizer = loaded.tgt_tokenizer or loaded.tokenizer
        self.config = loaded.model.config
        self.device = next(loaded.model.parameters()).device

    @classmethod
    def load(cls, name_or_folder: str | Path, device: Device = "auto") -> "Translator":
        """Loads a checkpoint by its name under `checkpoints/`, or from a folder.

        Args:
            name_or_folder: "en-zh", say.
            device: "auto" is CUDA where there is one.
        Raises:
            HeadlightError: there is no such checkpoint, or it is broken.
        """
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        loaded = checkpoint.load(checkpoint.find(name_or_folder), device)
        if device == "cpu":
            read_weights_as_half(loaded.model)
        return cls(loaded)

    def translate(self, source: str, max_steps: int = 64, sampling: Sampling | None = None) -> str:
        """The translation (or continuation) of one text; nothing is recorded.

        Args:
            source: the text.
            max_steps: the most tokens to emit.
            sampling: how to draw; None takes the likeliest token at every step.
        Raises:
            HeadlightError: the source is empty or too long.
        """
        src_ids, prompt = self._read(source)
        [hypothesis] = decode(
            self.model,
            self._batch(src_ids),
            prefix=prompt,
            sampling=sampling,
            max_steps=max_steps,
            top_k=0,
        )
        return self.tgt_tokenizer.decode(hypothesis.ids)

    def trace(
        self,
        source: str,
        prefix: Sequence[int] = (),
        interventions: Sequence[Intervention | str] = (),
        max_steps: int = 64,
        top_k: int = 10,
        sampling: Sampling | None = None,
    ) -> AttentionTrace:
        """Decodes, then records one teacher-forced pass over what was decoded.

        Args:
            source: the text; a decoder-only model continues it.
            prefix: ids of target tokens that the translation is made to begin with (after the
                source, for a decoder-only model).
            interventions: changes to heads, as data or in text form ("cross.1.3=zero").
            max_steps: the most tokens to emit after the prefix.
            top_k: how many candidates to keep at every step.
            sampling: how to draw; None takes the likeliest token at every step (greedy decoding).
        Raises:
            HeadlightError: the source is empty or too long, the model has no such head, or the
                prefix is no beginning of a target.
            ValueError: a number is out of range.
        """
        changes = _parse(interventions)
        src_ids, prompt = self._read(source)
        forced = [*prompt, *prefix]
        with intervene(self.model, changes):
            [hypothesis] = decode(
                self.model,
                self._batch(src_ids),
                prefix=forced,
                sampling=sampling,
                max_steps=max_steps,
                top_k=top_k,
            )
        return self._record(source, src_ids, hypothesis, len(forced), changes, sampling)

    def trace_pair(self, source: str, target: str) -> AttentionTrace:
        """The trace of a given translation, every token of it forced.

        Raises:
            HeadlightError: the source is empty, or a text too long.
        """
        src_ids, prompt = self._read(source)
        forced = [*prompt, *self.tgt_tokenizer.encode(target), self.config.eos_id]
        self._check_length(len(forced))
        [hypothesis] = decode(self.model, self._batch(src_ids), prefix=forced)
        return self._record(source, src_ids, hypothesis, len(forced), (), None)

    def work_out(
        self,
        source: str,
        tgt_ids: Sequence[int],
        kind: Kind,
        layer: int,
        head: int,
        interventions: Sequence[Intervention | str] = (),
    ) -> WorkedOut:
        """The arithmetic behind one head's weights, of a trace that was made before.

        Args:
            source: the trace's source.
            tgt_ids: the trace's tgt_ids.
            kind: which attention.
            layer: counted from 0.
            head: counted from 0.
            interventions: the trace's.
        Raises:
            HeadlightError: the source is empty or too long, the model has no such head, or the ids
                are no target of this model.
        """
        changes = _parse(interventions)
        check_head(self.config, kind, layer, head)
        src_ids, _ = self._read(source)
        check_prefix(torch.tensor([tgt_ids], dtype=torch.long), self.config)
        tgt_in = [self.config.bos_id, *tgt_ids[:-1]]
        with (
            intervene(self.model, changes),
            record(self.model) as recording,
            record_projections(self.model, kind, layer) as projections,
        ):
            self._read_along(src_ids, tgt_in)
        return worked_out(projections[0], recording, kind, layer, head)

    def _read(self, source: str) -> tuple[list[int], list[int]]:
        """Source ids and no prompt; or, for a decoder-only model, the other way round."""
        ids = self.tokenizer.encode(source)
        if not self.tokenizer.decode(ids).strip():
            if self.config.decoder_only:
                raise HeadlightError("empty_prompt", "Type the beginning of a text.")
            raise HeadlightError("empty_source", "Type a sentence to translate.")
        # Either way one special token joins them: </s> ends a source, <s> starts a target.
        self._check_length(len(ids) + 1)
        if self.config.decoder_only:
            return [], ids
        return [*ids, self.config.eos_id], []

    def _batch(self, ids: Sequence[int]) -> Tensor | None:
        """A batch of one, [1, length]; None for no tokens."""
        return torch.tensor([ids], device=self.device) if ids else None

    def _check_length(self, length: int) -> None:
        limit = self.config.max_length
        if length > limit:
            raise HeadlightError(
                "source_too_long",
                f"This text is {length} tokens long; {self.name} takes at most {limit}.",
                length=length,
                limit=limit,
            )

    def _record(
        self,
        source: str,
        src_ids: list[int],
        hypothesis: Hypothesis,
        prefix_length: int,
        interventions: tuple[Intervention, ...],
        sampling: Sampling | None,
    ) -> AttentionTrace:
        tgt_ids = hypothesis.ids
        tgt_in = [self.config.bos_id, *tgt_ids[:-1]]
        with intervene(self.model, interventions), record(self.model) as recording:
            self._read_along(src_ids, tgt_in)
        label = self.tgt_tokenizer.pieces
        return AttentionTrace(
            model=self.name,
            source=valid_unicode(source),
            translation=self.tgt_tokenizer.decode(tgt_ids),
            src=tuple(self.tokenizer.pieces(src_ids)),
            tgt_in=tuple(label(tgt_in)),
            tgt_out=tuple(label(tgt_ids)),
            src_ids=tuple(src_ids),
            tgt_ids=tgt_ids,
            prefix_length=prefix_length,
            candidates=self._candidates(hypothesis),
            stop_reason=hypothesis.stop_reason,
            interventions=interventions,
            sampling=sampling,
            **_weights(recording),
        )

    def _read_along(self, src_ids: Sequence[int], tgt_in: Sequence[int]) -> None:
        """One teacher-forced pass, for hooks to watch."""
        src, tgt = self._batch(src_ids), torch.tensor([tgt_in], device=self.device)
        model = self.model
        with torch.inference_mode():
            # Not through model(…): its padding mask would hide a padding token that was emitted.
            if isinstance(model, LanguageModel) or src is None:
                model.decoder(tgt)
            else:
                model.decode(tgt, model.encode(src))

    def _candidates(self, hypothesis: Hypothesis) -> tuple[tuple[Candidate, ...], ...]:
        label = self.tgt_tokenizer.piece
        return tuple(
            tuple(Candidate(label(i), i, probability) for i, probability in step)
            for step in hypothesis.candidates
        )


def _parse(interventions: Sequence[Intervention | str]) -> tuple[Intervention, ...]:
    return tuple(
        Intervention.parse(change) if isinstance(change, str) else change
        for change in interventions
    )


def _weights(recording: Recording) -> dict[str, Any]:
    weights = recording.weights
    return {
        kind: read_only(torch.cat(weights[kind]).cpu().numpy()) if kind in weights else None
        for kind in KINDS
    }
