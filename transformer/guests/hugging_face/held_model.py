"""A Hugging Face model that is held: what is known of it, and passes over whole texts."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any

import torch

from ...errors import GuestError, HeadlightError
from ...recording.effects import Means
from ...recording.hooks import Recording, Site, attached
from ...trace.changes import read_interventions
from ...trace.guest import Form, Precision
from ...trace.interventions import Intervention
from ...trace.kinds import Kind
from ...trace.sampling import Sampling
from ...trace.trace import AttentionTrace
from .calling import TYPES, call, forward, reads_types
from .changes import check_change
from .decoding import Request, start_of
from .families import (
    LANGUAGE_FIRST,
    check_family,
    check_reads_text,
    is_masked_language_model,
    writes,
)
from .hashing import hash_of
from .held import Held
from .learning import Learnt, NothingSeen, learn, probe
from .points import Points, Watch
from .proof import prove
from .recording import watched
from .texts import Read, Source, Texts, limit_of, vocab_of
from .tracing import arguments, check_writing

SITES = ("scores", "weights", "value", "attended")
PRECISIONS: dict[torch.dtype, Precision] = {
    torch.float32: "float32",
    torch.float16: "float16",
    torch.bfloat16: "bfloat16",
}


class HeldModel:
    """A guest, held until `close()` or the end of a `with` block, and its passes over whole texts.

    Args:
        model: of transformers.
        tokenizer: its own.
        name: for titles and sentences; by default what it was loaded by.

    Attributes:
        proof: what was found on one short text when it was loaded.
        means: by kind, each head's mean output, once `measure` was called.

    Raises:
        HeadlightError: it cannot be drawn truly; the sentence says why.
    """

    def __init__(self, model: Any, tokenizer: Any, name: str = "") -> None:
        self.model = model
        self.name = name or getattr(model.config, "_name_or_path", "") or type(model).__name__
        check_family(model.config, self.name)
        check_reads_text(model, self.name)
        self.tokenizer = tokenizer
        self.texts = Texts(tokenizer, self.name, limit_of(model, tokenizer), vocab_of(model))
        self.means: Means | None = None
        self.device = next(model.parameters()).device
        dtype = next(it.dtype for it in model.parameters() if it.is_floating_point())
        self.dtype: Precision = PRECISIONS.get(dtype, "float32")
        self._held = Held(model)
        try:
            own = self._called({})
            with self._held.eager():
                returned = self._called({"output_attentions": True})
            self._held.begin()
            self.learnt = self._learnt()
            self.proof = prove(model, self.learnt, own, returned, self.dtype)
            check_writing(model, self.learnt, tokenizer)
        except BaseException:
            self._held.close()
            raise

    @property
    def form(self) -> Form:
        """Which towers there are."""
        return self.learnt.form

    @property
    def writes(self) -> bool:
        """Whether it has a decoder, and a head to write with."""
        return writes(self.model, self.form)

    @property
    def checkpoint(self) -> str:
        """A short hash of the weights, as they were when it was first asked for."""
        return self._hash

    @cached_property
    def _hash(self) -> str:
        return hash_of(self.model)

    def heads(self, kind: Kind) -> tuple[int, ...]:
        """How many heads each layer of a kind has; 0 of a layer without attention."""
        return self.learnt.heads.get(kind, ())

    def replay(
        self,
        source: Source,
        tgt_ids: Sequence[int],
        interventions: Sequence[Intervention | str] = (),
        sites: Collection[Site] = ("weights",),
        *,
        target_language: str | None = None,
    ) -> Recording:
        """One pass over a text that was traced before, recorded.

        Args:
            source: a trace's source.
            tgt_ids: its tgt_ids; none of a decoder without a head.
            interventions: changes to heads.
            sites: which hook points to record, of "scores", "weights", "value" and "attended".
            target_language: as the trace was asked for.
        Returns:
            A recording of a batch of one.
        """
        self._check_open()
        if unknown := [it for it in sites if it not in SITES]:
            raise GuestError(f"sites has {unknown[0]!r}; there are {', '.join(SITES)}")
        changes = read_interventions(interventions)
        read = self.texts.read(source)
        for change in changes:
            check_change(change, self.learnt, len(read.ids), self.name)
        reads = [read.ids[0], *tgt_ids[:-1]] if tgt_ids else read.ids
        if self.form == "encoder-decoder":
            first = start_of(self.model, self._request(read, (), 1, None, target_language))
            reads = [first, *tgt_ids[:-1]]
        ids = arguments(self.learnt, read.ids, reads)
        return self._recorded(ids, changes, sites, read.types)

    def record(self, trace: AttentionTrace, sites: Collection[Site]) -> Recording:
        """The pass of a trace, as it was changed, recorded: see `replay`."""
        return self._recorded(self.arguments(trace), trace.interventions, sites)

    @property
    def offers(self) -> frozenset[str]:
        """What can be asked of it: towers, and what is known of how it computes."""
        kinds: dict[Kind, str] = {
            "encoder_self": "encoder",
            "decoder_self": "decoder",
            "cross": "cross",
        }
        abilities = {kinds[kind] for kind in self.learnt.heads}
        abilities |= {"steps"} if self.writes else set()
        if is_masked_language_model(self.model):
            abilities.add("hidden")
        if self.learnt.ordinals is None:
            abilities.add("attended")
        return frozenset(abilities)

    def arguments(self, trace: AttentionTrace) -> dict[str, tuple[int, ...]]:
        """The ids that the pass of a trace reads, by the model's argument.

        Raises:
            HeadlightError: it is no trace of a model like this one.
        """
        if trace.guest is None or trace.guest.form != self.form:
            raise GuestError(f"This is no trace of {self.name}")
        if self.form == "encoder":
            return {"input_ids": trace.src_ids, **self._types(trace.guest.pair)}
        if self.form == "decoder":
            ids = self.texts.ids(trace.source, trace.read_as)
            return {"input_ids": (ids[0], *trace.tgt_ids[:-1]) if trace.tgt_ids else ids}
        start = start_of(self.model, Request(trace.src_ids))
        if self.texts.labels([start]).shown[0] != trace.tgt_in[0]:
            start = self.texts.language(trace.tgt_in[0])
        decoder = (start, *trace.tgt_ids[:-1])
        return {"input_ids": trace.src_ids, "decoder_input_ids": decoder}

    def _types(self, pair: tuple[str, str] | None) -> dict[str, tuple[int, ...]]:
        """Which of two sentences each token is of, where the model is told."""
        types = None if pair is None else self.texts.read(pair).types
        return {TYPES: types} if types is not None and reads_types(self.model) else {}

    def check(self, changes: Sequence[Intervention], trace: AttentionTrace) -> None:
        """Refuses changes that this guest cannot have, to a text that was traced.

        Raises:
            HeadlightError: naming what there is, or why it cannot be done.
        """
        for change in changes:
            check_change(change, self.learnt, len(trace.src), self.name)

    def changed(
        self, interventions: Sequence[Intervention | str] = ()
    ) -> AbstractContextManager[Watch]:
        """The model with these changes, for whole texts, while the block runs in this thread."""
        self._check_open()
        changes = read_interventions(interventions)
        return watched(self.learnt, changes, self._means_for(changes), grows=False)

    def close(self) -> None:
        """Lets the model go: it is what it was before."""
        self._held.close()
        self.texts.renderer.close()

    def __deepcopy__(self, _: object) -> "HeldModel":
        raise GuestError(f"{self.name} is loaded, with one guest: close() it, then copy it")

    def __repr__(self) -> str:
        """One line."""
        sizes = ", ".join(
            f"{kind} {len(heads)} x {max(heads)}" for kind, heads in self.learnt.heads.items()
        )
        closed = ", closed" if self._held.closed else ""
        return f"<{type(self).__name__} {self.name}: {self.form}, {sizes} heads{closed}>"

    def _learnt(self) -> Learnt:
        try:
            return learn(self.model, self._held.within)
        except NothingSeen:
            if not self._held.within:
                raise
            # A file that has to do with the interface may have attention of its own beside it.
            self._held.leave_interface()
            return learn(self.model, False)

    def _called(self, more: dict[str, Any]) -> Any:
        try:
            return call(self.model, {**probe(self.model), **more})
        except Exception as error:
            why = (
                f"{self.name} cannot be called with a short text alone, from which its attention "
                f"is learnt: {error}. If it is its head that asks for more, load it with AutoModel"
            )
            raise GuestError(why, "guest_no_text", model=self.name) from error

    def _recorded(
        self,
        ids: Mapping[str, Sequence[int]],
        changes: Sequence[Intervention],
        sites: Collection[Site],
        types: Sequence[int] | None = None,
    ) -> Recording:
        recording = Recording()
        hooks = [
            (getattr(points, site), _capture(recording, points, site))
            for places in self.learnt.layout.values()
            for points in places
            for site in sites
        ]
        with self.changed(changes), attached(hooks):
            forward(self.model, ids, types)
        return recording

    def _request(
        self,
        read: Read,
        prefix: Sequence[int],
        max_steps: int,
        sampling: Sampling | None,
        target_language: str | None,
    ) -> Request:
        first = forced = None
        if target_language is not None:
            token = self.texts.language(target_language)
            if type(self.tokenizer).__name__ in LANGUAGE_FIRST:
                first = token
            else:
                forced = token
        if (limit := self.texts.limit) is not None:
            begun = len(prefix) + (len(read.ids) if self.form == "decoder" else 1)
            self.texts.check_length(begun)
            max_steps = min(max_steps, limit - begun + 1)  # the last one is written, and not read
        return Request(read.ids, tuple(prefix), first, forced, max_steps, sampling, self.tokenizer)

    def _means_for(self, changes: Sequence[Intervention]) -> Means | None:
        if any(change.effect == "mean" for change in changes) and self.means is None:
            raise HeadlightError(
                "no_means",
                "Each head's mean output is asked for, which nobody has measured: call "
                "measure([text, …]) first",
            )
        return self.means

    def _check_open(self) -> None:
        if self._held.closed:
            raise GuestError(f"{self.name} was closed: load it again")
        if self.model.training:
            raise GuestError(f"{self.name} is in training mode: call its eval()")


def _capture(recording: Recording, points: Points, site: Site) -> Callable[..., None]:
    def hook(_module: object, _args: object, output: torch.Tensor) -> None:
        recording.capture(points.kind, site, points.layer, output)

    return hook
