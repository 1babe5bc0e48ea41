"""A Hugging Face model ready to be traced: what `headlight.load` returns."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import Any

from ...errors import GuestError, HeadlightError
from ...trace.changes import read_interventions
from ...trace.interventions import Intervention
from ...trace.sampling import Sampling
from ...trace.trace import AttentionTrace
from .arguments import check_arguments, check_number
from .calling import forward, token_logits
from .changes import check_change
from .decoding import Candidates, Written, best, write
from .families import is_masked_language_model, no_head
from .held_model import HeldModel
from .means import mean_outputs
from .recording import Rows, recorded
from .texts import Read, Source
from .traces import Contents, traced
from .tracing import forced_and_recorded, read_and_recorded, refuse_cost, written_and_recorded


class HuggingFaceModel(HeldModel, AbstractContextManager["HuggingFaceModel"]):
    """A Hugging Face model ready to be traced; threads may share it.

    Its tokens are those of its own `generate`, its weights those that were computed meanwhile.
    """

    def __exit__(self, *_: object) -> None:
        self.close()

    def trace(
        self,
        source: Source,
        target: str | None = None,
        *,
        prefix: Sequence[int] = (),
        interventions: Sequence[Intervention | str] = (),
        max_steps: int = 64,
        top_k: int = 10,
        sampling: Sampling | None = None,
        hidden: Sequence[int] = (),
        target_language: str | None = None,
        chat: bool = False,
        include_layers: Collection[int] | None = None,
    ) -> AttentionTrace:
        """What the model reads, writes, and attends to meanwhile.

        Args:
            source: the text; two of them for an encoder that reads pairs.
            target: what is written, given instead of generated.
            prefix: ids that the target, or what goes on with a prompt, is made to begin with.
            interventions: changes to heads, as data or in text form ("cross.L2H4=zero").
            max_steps: the most tokens to emit after the prefix.
            top_k: how many candidates to keep of every step.
            sampling: how to draw; None takes the likeliest token, or the best of as many beams as
                the model's generation settings ask for.
            hidden: of an encoder alone, which tokens to mask, counted from 0 with special tokens.
            target_language: the tokenizer's token for it, "fra_Latn" say.
            chat: whether the source is a user's turn, to be written in the model's chat template.
            include_layers: which layers to keep, counted from 0; None keeps all.
        Raises:
            HeadlightError: something cannot be; the sentence says what, and what to do.
        """
        self._check_open()
        check_arguments(
            self.learnt,
            self.texts.vocab,
            source=source,
            target=target,
            prefix=prefix,
            interventions=interventions,
            max_steps=max_steps,
            top_k=top_k,
            sampling=sampling,
            hidden=hidden,
            include_layers=include_layers,
        )
        changes = read_interventions(interventions)
        self._check_asked(hidden, target_language, chat)
        if isinstance(source, tuple) and self.form != "encoder":
            raise GuestError(f"{self.name} reads one text, not a pair", "not_offered")
        if chat and isinstance(source, str):
            read = self.texts.chat(source)
        else:
            read = self.texts.read(source, hidden)
        src_length = 0 if self.form == "decoder" else len(read.ids)
        for change in changes:
            check_change(change, self.learnt, src_length, self.name)
        request = self._request(read, prefix, max_steps, sampling, target_language)
        if self.form == "encoder":
            if target is not None or prefix:
                why = f"{self.name} writes nothing: leave target= and prefix= out"
                raise GuestError(why, "not_offered")
            refuse_cost(self.learnt, len(read.ids), 0, include_layers)
            return self._encoded(source, read, changes, top_k, include_layers)
        if not self.writes:
            self._check_headless(target, prefix, sampling)
        forced = [] if target is None else self._target(target)
        tgt = len(request.prefix) + (request.max_steps if target is None else len(forced))
        tgt += len(read.ids) if self.form == "decoder" else 1
        if target is not None:
            self.texts.check_length(tgt)
        refuse_cost(self.learnt, src_length, tgt, include_layers)
        how: dict[str, Any] = {"top_k": top_k, "layers": include_layers}
        given = self.model, self.learnt, request
        means = self._means_for(changes)
        if target is not None:
            written, rows = forced_and_recorded(*given, forced, changes, means, **how)
        elif not self.writes:
            given_text = self.model, self.learnt, read.ids, changes, means
            written, rows = read_and_recorded(*given_text, layers=include_layers)
        else:
            written, rows = written_and_recorded(*given, changes, means, **how)
        return self._written(source, read, written, changes, rows, sampling)

    def translate(
        self,
        source: str,
        max_steps: int = 64,
        sampling: Sampling | None = None,
        *,
        target_language: str | None = None,
    ) -> str:
        """What the model writes; nothing is recorded.

        Raises:
            HeadlightError: the source is empty or too long, or the model writes nothing.
        """
        self._check_open()
        self._check_asked((), target_language, False)
        check_number("max_steps", max_steps, 1)
        if self.form == "encoder":
            raise GuestError(f"{self.name} reads and writes nothing")
        if not self.writes:
            raise no_head(self.model, self.form, self.name, "ask for its trace")
        read = self.texts.read(source)
        request = self._request(read, (), max_steps, sampling, target_language)
        written = write(self.model, request, top_k=0)
        return self.texts.decode(self._answer(written))

    def measure(self, texts: Sequence[Source]) -> None:
        """Measures each head's mean output over texts, for interventions that ask for it ("mean").

        Raises:
            HeadlightError: there is no text, or nobody sees what a head hands on.
        """
        self._check_open()
        if isinstance(texts, str):
            raise GuestError(f"texts is {texts!r:.60}; expected a list of texts")
        if not texts or self.learnt.ordinals is not None:
            raise GuestError(
                "measure() needs a text at least"
                if not texts
                else f"{self.name} has its attention outside transformers' interface, where what "
                "a head hands on is not seen"
            )
        encodes = self.form == "encoder"
        written = ((it, (0,) if encodes else self.trace(it, top_k=0).tgt_ids) for it in texts)
        recordings = (self.replay(text, ids, sites=("attended",)) for text, ids in written)
        self.means = mean_outputs(recordings, self.learnt.heads)

    def _target(self, target: str) -> list[int]:
        ids = self.texts.target(target)
        if self.form == "decoder":
            special = set(self.tokenizer.all_special_ids)
            ids = [it for it in ids if it not in special]
        if not ids:
            raise HeadlightError("empty_source", "Type a text: there is nothing to read.")
        return ids

    def _encoded(
        self,
        source: Source,
        read: Read,
        changes: Sequence[Intervention],
        top_k: int,
        layers: Collection[int] | None,
    ) -> AttentionTrace:
        means = self._means_for(changes)
        with recorded(self.learnt, changes, means, layers=layers, grows=False) as rows:
            output = forward(self.model, {"input_ids": read.ids}, read.types)
        candidates: tuple[Candidates, ...] = ()
        if is_masked_language_model(self.model) and top_k:
            logits = token_logits(output)[0]
            candidates = tuple(
                best(row, it, top_k) for row, it in zip(logits, read.ids, strict=True)
            )
        contents = Contents(
            form=self.form,
            read=read,
            src=read.ids,
            candidates=candidates,
            fields=self._fields(source, read),
            guest={"pair": source} if isinstance(source, tuple) else {},
        )
        return traced(self.model, self.texts, self.learnt, rows, contents, changes, self.dtype)

    def _written(
        self,
        source: Source,
        read: Read,
        written: Written,
        changes: Sequence[Intervention],
        rows: Rows,
        sampling: Sampling | None,
    ) -> AttentionTrace:
        stop = written.stop_reason
        if stop == "max_steps" and len(written.read) >= (self.texts.limit or 10**9):
            stop = "max_length"
        contents = Contents(
            form=self.form,
            read=read,
            src=() if self.form == "decoder" else read.ids,
            tgt_in=written.read,
            tgt_out=written.emitted,
            candidates=written.candidates,
            forced_by=written.forced_by,
            fields={
                **self._fields(source, read),
                "translation": self.texts.decode(self._answer(written)),
                "prefix_length": written.given,
                "stop_reason": stop,
                "sampling": sampling,
            },
        )
        return traced(self.model, self.texts, self.learnt, rows, contents, changes, self.dtype)

    def _fields(self, source: Source, read: Read) -> dict[str, Any]:
        text = source if isinstance(source, str) else " ".join(source)
        return {"source": text, "checkpoint": self.checkpoint, "read_as": read.text}

    def _answer(self, written: Written) -> Sequence[int]:
        """All that a target spells; a prompt with what goes on with it."""
        if self.form != "decoder":
            return written.emitted
        return [*written.read[:1], *written.emitted] if written.emitted else written.read

    def _check_headless(self, target: str | None, prefix: object, sampling: object) -> None:
        """Refuses what a decoder without a head cannot do: it reads what it is given alone."""
        wrong = ""
        if self.form == "decoder" and target is not None:
            wrong = "leave target= out to see what the text attends to"
        elif self.form == "encoder-decoder" and target is None:
            wrong = "hand in target= to see what both texts attend to"
        elif prefix or sampling is not None:
            wrong = "leave prefix= and sampling= out"
        if wrong:
            raise no_head(self.model, self.form, self.name, wrong)

    def _check_asked(self, hidden: Sequence[int], target_language: str | None, chat: bool) -> None:
        wrong = ""
        if hidden and self.form != "encoder":
            wrong = "hidden= is for models that are an encoder alone"
        elif target_language is not None and self.form != "encoder-decoder":
            wrong = "target_language= is for models that translate"
        elif chat and self.form != "decoder":
            wrong = "chat=True is for models that go on with a text"
        if wrong:
            raise GuestError(f"{wrong}; {self.name} is of form {self.form}", "not_offered")
