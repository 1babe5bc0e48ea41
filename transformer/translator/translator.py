"""A checkpoint that translates and traces."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import torch

from .. import checkpoint
from ..checkpoint import Checkpoint
from ..checkpoint.card import representative_heads_of
from ..checkpoint.own_text import has_own_text
from ..decoding import check_prefix, decode
from ..errors import HeadlightError
from ..model.config import TransformerConfig
from ..model.half_linear import read_weights_as_half
from ..model.padding import pad
from ..recording.batch import Decoded, Sentence, decode_and_record
from ..recording.effects import Means, Place, everywhere, no_means
from ..recording.hooks import Recording, Site, intervene, record
from ..recording.means import mean_outputs, stored_means
from ..text.codes import check_code
from ..text.normalise import normalised
from ..text.tokenizer import valid_unicode
from ..trace.changes import read_interventions
from ..trace.guest import Form
from ..trace.interventions import Intervention
from ..trace.kinds import Kind, num_layers
from ..trace.sampling import Sampling
from ..trace.trace import AttentionTrace
from .assembled import trace_of
from .request import TraceRequest

Device = Literal["cpu", "cuda", "auto"]


def offers_of(config: TransformerConfig, card: Mapping[str, Any]) -> frozenset[str]:
    """What a checkpoint offers analyses; whether its training text lies here is looked up."""
    abilities = {"decoder", "steps", "states", "gradients"}
    if not config.decoder_only:
        abilities |= {"encoder", "cross"}
    if has_own_text(card):
        abilities.add("training_text")
    return frozenset(abilities)


class Translator(AbstractContextManager["Translator"]):
    """A checkpoint ready for use. It keeps no state between calls; threads may share it.

    A decoder-only checkpoint has no source: it continues the text that it is given.
    """

    def __init__(self, loaded: Checkpoint) -> None:
        self.loaded = loaded
        self.name = loaded.name
        self.card = loaded.card
        self.model = loaded.model
        self.tokenizer = loaded.tokenizer
        self.tgt_tokenizer = loaded.tgt_tokenizer or loaded.tokenizer
        self.config = loaded.model.config
        self.checkpoint = loaded.hash
        self.representative_heads = representative_heads_of(loaded)
        self.measured_heads = loaded.heads
        self.lexicon = loaded.lexicon
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

    @property
    def form(self) -> Form:
        """Which towers there are."""
        return "decoder" if self.config.decoder_only else "encoder-decoder"

    @property
    def offers(self) -> frozenset[str]:
        """What analyses may need of it: see `ask.needs`."""
        return offers_of(self.config, self.card)

    def heads(self, kind: Kind) -> tuple[int, ...]:
        """How many heads each layer of a kind has; () where there is no such attention."""
        return (self.config.num_heads,) * num_layers(self.config, kind)

    def close(self) -> None:
        """Does nothing: a translator holds nothing of anybody's; guests do."""

    def __exit__(self, *_: object) -> None:
        self.close()

    def translate(self, source: str, max_steps: int = 64, sampling: Sampling | None = None) -> str:
        """The translation (or continuation) of one text; nothing is recorded.

        Args:
            source: the text.
            max_steps: the most tokens to emit.
            sampling: how to draw; None takes the likeliest token at every step.
        Raises:
            HeadlightError: the source is empty or too long.
        """
        src_ids, prompt = self.read(source)
        [hypothesis] = decode(
            self.model,
            pad([src_ids], self.config.pad_id, self.device),
            prefix=prompt,
            sampling=sampling,
            max_steps=max_steps,
            top_k=0,
        )
        return self.tgt_tokenizer.decode(hypothesis.ids)

    def trace(
        self,
        source: str,
        target: str | None = None,
        *,
        prefix: Sequence[int] = (),
        interventions: Sequence[Intervention | str] = (),
        max_steps: int = 64,
        top_k: int = 10,
        sampling: Sampling | None = None,
    ) -> AttentionTrace:
        """Decodes, and records the very passes that chose each token.

        Args:
            source: the text; a decoder-only model continues it.
            target: a translation that is given instead of decoded, every token of it forced.
            prefix: ids of target tokens that the translation is made to begin with (after the
                source, for a decoder-only model).
            interventions: changes to heads, as data or in text form ("cross.L2H4=zero").
            max_steps: the most tokens to emit after the prefix.
            top_k: how many candidates to keep at every step.
            sampling: how to draw; None takes the likeliest token at every step (greedy decoding).
        Raises:
            HeadlightError: the source is empty, a text too long, the model has no such head, or
                the prefix is no beginning of a target.
            ValueError: a number is out of range, or a target has a prefix, too.
        """
        if target is not None:
            if prefix:
                raise ValueError("target= is written whole: leave prefix= out")
            prefix = [*self.tgt_tokenizer.encode(target), self.config.eos_id]
            self.check_length(len(self.read(source)[1]) + len(prefix))
        request = TraceRequest(source, tuple(prefix), tuple(interventions), sampling)
        [traced] = self.traces([request], max_steps, top_k)
        if isinstance(traced, HeadlightError):
            raise traced
        return traced

    def traces(
        self, requests: Sequence[TraceRequest], max_steps: int = 64, top_k: int = 10
    ) -> list[AttentionTrace | HeadlightError]:
        """Many traces at once, each as `trace` makes it alone; together they are faster.

        Args:
            requests: of any length.
            max_steps: the most tokens to emit after each prefix.
            top_k: how many candidates to keep at every step.
        Returns:
            In the place of each request its trace, or what `trace` would raise.
        Raises:
            ValueError: a number is out of range.
        """
        read = [self._sentence(request) for request in requests]
        sentences = [each for each in read if isinstance(each, Sentence)]
        means = self._means_for([change for each in sentences for change in each.interventions])
        decoded = iter(decode_and_record(self.model, sentences, max_steps, top_k, means))
        return [
            self._trace_of(request.source, each, next(decoded))
            if isinstance(each, Sentence)
            else each
            for request, each in zip(requests, read, strict=True)
        ]

    def replay(
        self,
        source: str,
        tgt_ids: Sequence[int],
        interventions: Sequence[Intervention | str] = (),
        sites: Collection[Site] = ("weights",),
    ) -> Recording:
        """One teacher-forced pass over a target that was decoded before, recorded.

        Args:
            source: a trace's source.
            tgt_ids: its tgt_ids.
            interventions: changes to heads.
            sites: which hook points to record.
        Returns:
            A recording of a batch of one.
        Raises:
            HeadlightError: the source is empty or too long, the model has no such head, or the ids
                are no target of this model.
        """
        changes = read_interventions(interventions)
        src_ids, _ = self.read(source)
        check_prefix(tgt_ids, self.config)
        model, src = self.model, pad([src_ids], self.config.pad_id, self.device)
        tgt_in = torch.tensor([[self.config.bos_id, *tgt_ids[:-1]]], device=self.device)
        with torch.inference_mode(), self.intervene(changes), record(model, sites) as recording:
            # Not model(…): its padding mask would hide a padding token that was emitted.
            model.decode(tgt_in, model.encode(src))
        return recording

    def intervene(
        self, changes: Sequence[Intervention], place: Place = everywhere
    ) -> AbstractContextManager[None]:
        """The model with these changes, while the block runs: see `hooks.intervene`."""
        return intervene(self.model, changes, place, self._means_for(changes))

    def _means_for(self, changes: Sequence[Intervention]) -> Means | None:
        """Each head's mean output, if one of the changes asks for it."""
        return self.means if any(change.effect == "mean" for change in changes) else None

    @cached_property
    def means(self) -> Means:
        """Each head's mean output, by kind [layer, head, d_head].

        They are over the dev set if they were measured there, else over the examples.
        """
        if self.measured_heads is not None:
            return stored_means(self.measured_heads.arrays, self.device)
        traces = [self.trace(text, top_k=0) for text in self.card.get("examples", [])]
        bos = self.config.bos_id
        return mean_outputs(self.model, [(each.src_ids, (bos, *each.tgt_ids)) for each in traces])

    def reads(self, source: str) -> str:
        """What stands for a source when it is cut into tokens: itself, unless it is normalised."""
        source = valid_unicode(source)
        return normalised(source, self.tokenizer) if self.loaded.normalise else source

    def encode(self, source: str) -> list[int]:
        """Token ids of a source as it is read, without special tokens.

        Raises:
            HeadlightError: it names a language that the model does not know.
        """
        check_code(source, self.tokenizer)
        return self.tokenizer.encode(self.reads(source))

    def read(self, source: str) -> tuple[list[int], list[int]]:
        """Source ids and no prompt; or, for a decoder-only model, the other way round."""
        ids = self.encode(source)
        if not self.tokenizer.decode(ids).strip():
            if self.config.decoder_only:
                raise HeadlightError("empty_prompt", "Type the beginning of a text.")
            raise HeadlightError("empty_source", "Type a sentence to translate.")
        # Either way one special token joins them: </s> ends a source, <s> starts a target.
        self.check_length(len(ids) + 1)
        return ([], ids) if self.config.decoder_only else ([*ids, self.config.eos_id], [])

    def _sentence(self, request: TraceRequest) -> Sentence | HeadlightError:
        """What is decoded for a request, or why it cannot be."""
        try:
            changes = read_interventions(request.interventions)
            src_ids, prompt = self.read(request.source)
            forced = [*prompt, *request.prefix]
            check_prefix(forced, self.config)
            for change in changes:
                change.check(self.config, len(src_ids))
                if change.effect == "mean" and not self.means:
                    raise no_means(change)
        except HeadlightError as error:
            return error
        return Sentence(src_ids, forced, changes, request.sampling)

    def check_length(self, length: int) -> None:
        """Refuses a text of more tokens than the model takes."""
        if length > (limit := self.config.max_length):
            raise HeadlightError(
                "source_too_long",
                f"This text is {length} tokens long; {self.name} takes at most {limit}.",
                length=length,
                limit=limit,
            )

    def _trace_of(self, source: str, sentence: Sentence, decoded: Decoded) -> AttentionTrace:
        typed, heads = valid_unicode(source), self.representative_heads
        return trace_of(self.loaded, typed, self.reads(source), sentence, decoded, heads)
