"""Loss and scores."""

from dataclasses import replace
from typing import Any

import pytest
import sacrebleu
import torch
import torch.nn.functional as F

from tests.tiny import random_ids, tiny_model
from transformer import Tokenizer, Translator
from transformer.checkpoint import Checkpoint
from transformer.model.towers import Transformer
from transformer.training.data import Text, collate, encode
from transformer.training.evaluate import cross_entropy, dev_loss, measure, score, translate


def test_the_loss_is_pytorchs_over_real_tokens_alone() -> None:
    logits, tgt = torch.randn(2, 5, 31), random_ids(0, 2, 6)
    tgt[1, 4:] = 0
    real = torch.cat([logits[0], logits[1, :3]])
    targets = torch.cat([tgt[0, 1:], tgt[1, 1:4]])
    expected = F.cross_entropy(real, targets, label_smoothing=0.1) * len(targets)
    torch.testing.assert_close(cross_entropy(logits, tgt, 0.1), expected)


def test_the_dev_loss_does_not_depend_on_how_sentences_are_batched(translator: Translator) -> None:
    pairs = [("I love you.", "我爱你。"), ("What a day!", "多好的一天！"), ("Good", "早上好")]
    texts = [Text(*pair) for pair in pairs]
    dev = encode(texts, translator.tokenizer, 64)
    loss, tokens = 0.0, 0
    for example in dev:
        src, tgt = collate([example])
        with torch.inference_mode():
            loss += cross_entropy(translator.model(src, tgt[:, :-1]), tgt).item()
        tokens += len(example.tgt) - 1
    assert dev_loss(translator.model, dev) == pytest.approx(loss / tokens, rel=1e-5)


def test_translating_many_at_a_time_equals_one_by_one(translator: Translator) -> None:
    sources = ["What a day!", "I love you.", "She reads a book every evening."] * 30
    assert isinstance(translator.model, Transformer)
    many = translate(translator, sources, max_steps=12)
    assert many == [translator.translate(source, max_steps=12) for source in sources]


def test_chinese_is_scored_by_the_character_and_several_references_all_count() -> None:
    translations = ["我很爱你们。", "今天天气很好。"]
    references = [["我爱你。", "我很爱你们！"], ["今天天气好。"]]
    scores = score(translations, references, "zh")
    columns: Any = [["我爱你。", "今天天气好。"], ["我很爱你们！", None]]
    expected = sacrebleu.corpus_bleu(translations, columns, tokenize="zh")
    assert scores.bleu == pytest.approx(expected.score)
    assert scores.bleu > score(translations, [row[:1] for row in references], "zh").bleu
    assert "tok:zh" in scores.signature
    assert scores.exact == 0
    assert score(["早。"], [["晚。", "早。"]], "zh").exact == 100


def test_other_languages_are_cut_as_sacrebleu_does_by_default() -> None:
    assert "tok:13a" in score(["a cat"], [["a cat"]], "en").signature
    assert "tok:char" in score(["tac"], [["tac"]], "").signature


def test_a_source_on_several_lines_is_translated_once(translator: Translator) -> None:
    texts = [Text("I love you.", "我爱你。"), Text("I love you.", "我喜欢你。")]
    dev = encode(texts, translator.tokenizer, 64)
    measured = measure(Translator(replace(translator.loaded, card={"target_language": "zh"})), dev)
    assert list(measured.translations) == ["I love you."]
    assert measured.scores is not None
    assert measured.figure == measured.scores.bleu
    assert "nrefs:2" in measured.scores.signature


def test_a_language_model_is_measured_by_its_loss(tokenizer: Tokenizer) -> None:
    model = tiny_model(num_encoder_layers=0, src_vocab_size=0, tgt_vocab_size=tokenizer.vocab_size)
    translator = Translator(Checkpoint("tiny", model, tokenizer))
    measured = measure(translator, encode([Text("", "我爱你。")], tokenizer, 24))
    assert measured.scores is None
    assert measured.figure == -measured.loss
