"""How good a model is on sentences that it has not learned from."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
import torch.nn.functional as F
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from ..decoding import decode
from ..model.padding import pad
from ..model.towers import Model
from ..text.tokenizer import PAD_ID
from ..translator import Translator
from .data import Example, collate, predict

ROWS = 64
"""Sentences that are evaluated at a time."""


@dataclass(frozen=True)
class Scores:
    """What sacrebleu says of translations, and how many of them are right to the letter.

    Attributes:
        bleu: 0 to 100.
        chrf: 0 to 100.
        exact: per cent of translations that equal a reference.
        signature: with which anybody can compute the same BLEU.
    """

    bleu: float
    chrf: float
    exact: float
    signature: str


@dataclass(frozen=True)
class Measurement:
    """How a model did on the dev examples.

    Attributes:
        loss: see `dev_loss`.
        scores: of its translations; None for a decoder-only model.
        translations: by source.
    """

    loss: float
    scores: Scores | None
    translations: dict[str, str]

    @property
    def figure(self) -> float:
        """The figure to choose the best model by; higher is better."""
        return self.scores.bleu if self.scores else -self.loss

    def figures(self) -> dict[str, float | str]:
        """Figures for a model card, each rounded to what it is worth."""
        if self.scores is None:
            return {"perplexity": round(math.exp(self.loss), 2)}
        return {
            "bleu": round(self.scores.bleu, 1),
            "chrf": round(self.scores.chrf, 1),
            "exact": round(self.scores.exact, 1),
            "signature": self.scores.signature,
        }


@torch.inference_mode()
def dev_loss(model: Model, examples: Sequence[Example]) -> float:
    """Cross-entropy in nats per target token, without label smoothing; exp of it is perplexity."""
    device, pad_id = next(model.parameters()).device, model.config.pad_id
    loss, tokens = 0.0, 0
    order = sorted(examples, key=lambda example: len(example.tgt))
    for start in range(0, len(order), ROWS):
        rows = order[start : start + ROWS]
        src, tgt = (ids.to(device) for ids in collate(rows, pad_id))
        loss += cross_entropy(predict(model, src, tgt), tgt, pad_id=pad_id).item()
        tokens += sum(len(example.tgt) - 1 for example in rows)
    return loss / tokens


def cross_entropy(
    logits: torch.Tensor, tgt: torch.Tensor, label_smoothing: float = 0.0, pad_id: int = PAD_ID
) -> torch.Tensor:
    """Cross-entropy, in nats, of logits [batch, tgt, vocab], summed over `tgt` [batch, tgt + 1].

    The first token is not predicted, and padding counts nothing.
    """
    return F.cross_entropy(
        logits.flatten(0, 1),
        tgt[:, 1:].flatten(),
        ignore_index=pad_id,
        label_smoothing=label_smoothing,
        reduction="sum",
    )


def translate(translator: Translator, sources: Sequence[str], max_steps: int = 64) -> list[str]:
    """Greedy translations, many sentences at a time."""
    config = translator.config
    src_ids = [[*translator.encode(source), config.eos_id] for source in sources]
    order = sorted(range(len(sources)), key=lambda index: len(src_ids[index]))
    translations = [""] * len(sources)
    for start in range(0, len(order), ROWS):
        rows = order[start : start + ROWS]
        src = pad([src_ids[index] for index in rows], config.pad_id, translator.device)
        decoded = decode(translator.model, src, max_steps=max_steps, top_k=0)
        for index, hypothesis in zip(rows, decoded, strict=True):
            translations[index] = translator.tgt_tokenizer.decode(hypothesis.ids)
    return translations


def score(
    translations: Sequence[str], targets: Sequence[Sequence[str]], target_language: str
) -> Scores:
    """Compares translations with their references, one or more each.

    Args:
        translations: one a source.
        targets: the references of each.
        target_language: Chinese is cut as sacrebleu's "zh" does, text in no language ("") into
            characters, anything else as its default, "13a", does.
    """
    cut = {"zh": "zh", "": "char"}.get(target_language.partition("-")[0], "13a")
    bleu, chrf = BLEU(tokenize=cut), CHRF()
    most = max(map(len, targets))
    # sacrebleu wants the references as columns, and takes None, untyped, for a missing one.
    columns = cast(
        list[list[str]],
        [[row[i] if i < len(row) else None for row in targets] for i in range(most)],
    )
    right = sum(text in row for text, row in zip(translations, targets, strict=True))
    return Scores(
        bleu=bleu.corpus_score(translations, columns).score,
        chrf=chrf.corpus_score(translations, columns).score,
        exact=100 * right / len(translations),
        signature=str(bleu.get_signature()),
    )


def measure(translator: Translator, dev: Sequence[Example]) -> Measurement:
    """The loss on `dev`, and the scores of greedy translations of each distinct source.

    Several examples with the same source are one source with several right translations.
    """
    loss = dev_loss(translator.model, dev)
    if translator.config.decoder_only:
        return Measurement(loss, None, {})
    targets: dict[str, list[str]] = {}
    for example in dev:
        targets.setdefault(example.text.source, []).append(example.text.target)
    translations = translate(translator, list(targets))
    language = translator.card.get("target_language", "")
    scores = score(translations, list(targets.values()), language)
    return Measurement(loss, scores, dict(zip(targets, translations, strict=True)))
