"""Text into a guest's ids and back, and its tokens as people read them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from torch import Tensor, nn

from ...errors import GuestError, HeadlightError
from ...trace.guest import Hidden
from ..labels import Labels, Marks, marks_of, read_labels
from .arguments import check_source
from .rendering import Renderer, RenderingError

Source = str | tuple[str, str]

TEMPLATE_SECONDS = 5.0
MARK = "\ue000"
"""A turn of which a template makes nothing, and which nobody types."""

ROLES = ("bos", "eos", "sep", "cls", "pad", "mask", "unk")
"""Special tokens, as tokenizers name them."""

MOST_CHARACTERS = 1_000_000
"""Characters that a template may write: a tokenizer is not interrupted."""


@dataclass(frozen=True)
class Read:
    """A text as a guest reads it.

    Attributes:
        ids: with special tokens; of hidden ones the mask's.
        types: which of two sentences each is of, where the tokenizer tells the model.
        parts: the same for people: 0, 1, -1 of special tokens, and of what a chat's template has
            put around a turn; None of one sentence.
        hidden: what was masked.
        text: what a chat's template has made of a turn; else None.
    """

    ids: tuple[int, ...]
    types: tuple[int, ...] | None = None
    parts: tuple[int, ...] | None = None
    hidden: tuple[Hidden, ...] = ()
    text: str | None = None


class Texts:
    """A guest's tokenizer.

    Args:
        tokenizer: of transformers.
        name: the guest's, for sentences.
        limit: the most tokens that it reads; None without one.
        vocab: how many ids the model has vectors for; None where nobody knows.

    Attributes:
        renderer: of its chat template.
    """

    def __init__(
        self, tokenizer: Any, name: str, limit: int | None, vocab: int | None = None
    ) -> None:
        self.tokenizer = tokenizer
        self.name = name
        self.limit = limit
        self.vocab = vocab
        self.renderer = Renderer()

    def read(self, source: Source, hidden: Sequence[int] = ()) -> Read:
        """A text, or two.

        Args:
            source: the text, or a pair of texts.
            hidden: which tokens to mask, counted from 0 with special tokens.
        Raises:
            HeadlightError: it is empty or too long, or there is no such token, or no mask.
        """
        check_source(source)
        texts = source if isinstance(source, tuple) else (source,)
        if not all(it.strip() for it in texts):
            raise HeadlightError("empty_source", "Type a text: there is nothing to read.")
        encoding = self._encoding(*texts)
        ids = [int(it) for it in encoding["input_ids"]]
        if not ids:
            raise HeadlightError("empty_source", "Type a text: there is nothing to read.")
        self._check(ids)
        types: list[int] | None = encoding.get("token_type_ids")
        parts: tuple[int, ...] | None = None
        if len(texts) == 2:
            of_types: list[int | None] = [*(types or [0] * len(ids))]
            of = encoding.sequence_ids(0) if self.tokenizer.is_fast else of_types
            parts = tuple(-1 if it is None else it for it in of)
        masked = [self._hide(ids, at) for at in dict.fromkeys(hidden)]
        return Read(tuple(ids), None if types is None else tuple(types), parts, tuple(masked))

    def chat(self, source: str) -> Read:
        """A text as a user's turn of a conversation, by the model's own template.

        Raises:
            HeadlightError: there is no template, it fails, or takes too much.
        """
        if not getattr(self.tokenizer, "chat_template", None):
            why = f"{self.name} has no chat template: leave chat=True out"
            raise GuestError(why, "not_offered")
        turns = [{"role": "user", "content": it} for it in (source, MARK)]
        how = TEMPLATE_SECONDS, MOST_CHARACTERS
        try:
            text, marked = self.renderer.rendered(self.tokenizer, turns, *how)
        except RenderingError as error:
            why = f"The chat template of {self.name} {error}"
            raise GuestError(why, "guest_fails", model=self.name) from error
        fast: bool = self.tokenizer.is_fast
        encoding = self._encoding(text, add_special_tokens=False, return_offsets_mapping=fast)
        if not (ids := encoding["input_ids"]):
            why = f"The chat template of {self.name} writes nothing"
            raise GuestError(why, "guest_fails", model=self.name)
        self._check(ids)
        parts: tuple[int, ...] | None = None
        before, _, after = marked.partition(MARK)
        around = MARK in marked and MARK not in after
        if fast and around and text.startswith(before) and text.endswith(after):
            start, end = len(before), len(text) - len(after)
            spans: list[tuple[int, int]] = encoding["offset_mapping"]
            parts = tuple(0 if first < end and last > start else -1 for first, last in spans)
        return Read(tuple(map(int, ids)), parts=parts, text=text)

    def ids(self, source: str, read_as: str | None) -> tuple[int, ...]:
        """The ids of a trace's text.

        Args:
            source: as it was typed.
            read_as: what a chat's template made of it, special tokens included; or None.
        """
        if read_as is None:
            return self.read(source).ids
        return tuple(map(int, self._encoding(read_as, add_special_tokens=False)["input_ids"]))

    def target(self, text: str) -> list[int]:
        """The ids of a target, as the tokenizer writes one, its end included."""
        if "text_target" in self.tokenizer.__call__.__code__.co_varnames:
            return [int(it) for it in self._encoding(text_target=text)["input_ids"]]
        return [int(it) for it in self._encoding(text)["input_ids"]]

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The tokens by which a tokenizer of many languages names them."""
        named: Any = getattr(self.tokenizer, "lang_code_to_id", None)
        if isinstance(named, dict) and named:
            return tuple(sorted(map(str, named)))  # pyright: ignore[reportUnknownArgumentType]
        if not hasattr(self.tokenizer, "src_lang"):
            return ()
        special = {str(it) for it in self.tokenizer.all_special_tokens}
        usual = {
            str(it) for it in self.tokenizer.special_tokens_map.values() if isinstance(it, str)
        }
        return tuple(sorted(special - usual))

    def language(self, code: str) -> int:
        """The id of a language's token.

        Raises:
            HeadlightError: there is none; the sentence names some that there are.
        """
        # M2M100 has plain pieces of the same letters, too.
        tokens = (f"__{code}__", code)
        if any(it in self.languages for it in tokens):
            vocabulary: dict[str, int] = self.tokenizer.get_vocab()
            for token in tokens:
                if token in vocabulary:
                    return vocabulary[token]
        which = f" {code!r}; it knows {', '.join(self.languages[:5])}" if self.languages else "s"
        raise GuestError(f"{self.name} knows no language{which}", "not_offered")

    def labels(self, ids: Sequence[int], *, source: bool = False) -> Labels:
        """Tokens as people read them, and their words.

        Args:
            ids: of a target, or a prompt.
            source: they are a source's, which may have a vocabulary of its own.
        """
        read = read_labels(self._tokens(ids, source), marks=self._marks, added=self._added)
        words = tuple(
            None if number in self._wordless else word
            for number, word in zip(ids, read.words, strict=True)
        )
        return Labels(read.shown, words)

    def decode(self, ids: Sequence[int]) -> str:
        """The text that ids spell, without special tokens."""
        return str(self.tokenizer.decode([*ids], skip_special_tokens=True)).strip()

    def check_length(self, length: int) -> None:
        """Refuses a text of more tokens than the model reads."""
        if self.limit is not None and length > self.limit:
            raise HeadlightError(
                "source_too_long",
                f"This text is {length} tokens long; {self.name} takes at most {self.limit}.",
                length=length,
                limit=self.limit,
            )

    def _check(self, ids: Sequence[int]) -> None:
        """Refuses too many ids, and those that the model has no vector for."""
        self.check_length(len(ids))
        if self.vocab is not None and (most := max(map(int, ids))) >= self.vocab:
            raise GuestError(
                f"The tokenizer writes this text with id {most}, but {self.name} reads ids 0 to "
                f"{self.vocab - 1}: is it another model's tokenizer?",
                "no_tokenizer",
                model=self.name,
            )

    def _encoding(self, *texts: str, **how: Any) -> Any:
        try:
            return self.tokenizer(*texts, **how)
        except Exception as error:
            why = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise GuestError(
                f"The tokenizer of {self.name} cannot read this text: {why[:200]}",
                "guest_fails",
                model=self.name,
            ) from error

    @cached_property
    def _marks(self) -> Marks | None:
        return marks_of(self.tokenizer)

    @cached_property
    def _wordless(self) -> frozenset[int]:
        """Ids that stand for no text: special ones but what hides a token or is unknown."""
        ids = {it: getattr(self.tokenizer, f"{it}_token_id", None) for it in ROLES}
        # GPT-2's unknown token is the end of its texts, too.
        others = {number for role, number in ids.items() if role != "unk"}
        typed = {ids["mask"], *({ids["unk"]} - others)}
        return frozenset(set(self.tokenizer.all_special_ids) - typed)

    @cached_property
    def _added(self) -> frozenset[str]:
        """Tokens that were added to a vocabulary, which are not written in its bytes."""
        added: dict[int, Any] = getattr(self.tokenizer, "added_tokens_decoder", {})
        return frozenset(str(it) for it in added.values())

    @cached_property
    def _source_tokens(self) -> dict[int, str]:
        """By id, a source's tokens, of tokenizers that may have two vocabularies."""
        return {number: token for token, number in self.tokenizer.get_vocab().items()}

    def _tokens(self, ids: Sequence[int], source: bool) -> list[str]:
        if source and not self.tokenizer.is_fast:
            tokens = [self._source_tokens.get(number) for number in ids]
        else:
            tokens = self.tokenizer.convert_ids_to_tokens([*ids])
        pairs = zip(ids, tokens, strict=True)
        return [f"<{number}>" if it is None else str(it) for number, it in pairs]

    def _hide(self, ids: list[int], at: int) -> Hidden:
        mask = getattr(self.tokenizer, "mask_token_id", None)
        if mask is None:
            raise GuestError(f"{self.name} has no mask token: leave hidden= out", "not_offered")
        if not 0 <= at < len(ids):
            why = f"hidden={at}, but the text has tokens 0 to {len(ids) - 1}"
            raise GuestError(why, "bad_intervention")
        token = Hidden(at, self.labels(ids, source=True).shown[at], ids[at])
        ids[at] = mask
        return token


def vocab_of(model: Any) -> int | None:
    """How many ids a model has vectors for; None where nobody knows."""
    table = getattr(model.get_input_embeddings(), "weight", None)
    return int(table.size(0)) if isinstance(table, Tensor) else None


def limit_of(model: Any, tokenizer: Any) -> int | None:
    """The most tokens that a model reads, by its configuration, its positions and its tokenizer."""
    text = model.config.get_text_config()
    named = ("max_position_embeddings", "n_positions", "max_seq_len")
    limits = [getattr(text, it, None) for it in named]
    for name, it in model.named_modules():
        if name.endswith("position_embeddings") and isinstance(it, nn.Embedding):
            # RoBERTa's positions begin after that of padding.
            padding = it.padding_idx
            limits.append(None if padding is None else it.num_embeddings - padding - 1)
    numbers = [it for it in limits if isinstance(it, int) and it > 0]
    most = getattr(tokenizer, "model_max_length", None)
    if isinstance(most, int) and 0 < most < 10**9:
        numbers.append(most)
    return min(numbers, default=None)
