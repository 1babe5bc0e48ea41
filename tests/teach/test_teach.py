"""A correction is plain training and nothing else; what goes wrong in it is undone, and said."""

import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from tests.tiny import tiny_checkpoint
from transformer import HeadlightError, Tokenizer, Translator, checkpoint, teach
from transformer.__main__ import main
from transformer.ask.trainable import copy_of, differentiable
from transformer.teach.correction import Correction, read
from transformer.training.descent import Optimizer

SOURCE, TARGET = "The cat sleeps on the warm bed.", "猫睡在床上。"


def plainly(
    translator: Translator, correction: Correction
) -> tuple[list[float], list[float], torch.nn.Module]:
    """The loop of every tutorial: losses, the lengths of the whole gradient, and the model."""
    model, ids = copy_of(translator.model), read(translator, correction)
    kind = torch.optim.SGD if correction.optimizer == "sgd" else torch.optim.Adam
    optimizer = kind(model.parameters(), correction.rate)
    src, tgt = torch.tensor([ids.src], dtype=torch.long), torch.tensor([ids.tgt])
    losses: list[float] = []
    lengths: list[float] = []
    for _ in range(correction.steps + 1):
        logits = model.decode(tgt[:, :-1], model.encode(src))
        loss = F.cross_entropy(logits[0, ids.given :], tgt[0, 1 + ids.given :])
        losses.append(loss.item())
        if len(losses) <= correction.steps:
            optimizer.zero_grad()
            loss.backward()
            gradients = [p.grad for p in model.parameters() if p.grad is not None]
            lengths.append(float(torch.cat([g.flatten() for g in gradients]).norm()))
            optimizer.step()
    return losses, lengths, model


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("which", ["translator", "continuer"])
def test_a_learnt_model_is_the_one_before_and_its_change_to_the_bit(
    request: pytest.FixtureRequest, which: str, optimizer: Optimizer
) -> None:
    before: Translator = request.getfixturevalue(which)
    taught = teach.teach(before, SOURCE, TARGET, 3, 0.01, optimizer)
    first = taught.change.of(before)
    other = teach.teach(before, "What a day!", "早上好", 2, 0.01, "sgd").change
    between = other.of(before, spare=first)
    assert between.model is first.model
    assert between.translator().translate("What a day!") == other.of(before).translator().translate(
        "What a day!"
    )
    anew = taught.change.of(before, spare=between).translator()
    assert anew.checkpoint == taught.translator.checkpoint
    learnt, states = taught.translator.model.state_dict(), anew.model.state_dict()
    assert learnt.keys() == states.keys()
    for name, weights in learnt.items():
        assert torch.equal(states[name], weights), name
    assert anew.translate(SOURCE) == taught.translator.translate(SOURCE)
    assert any(not torch.equal(states[n], w) for n, w in before.model.state_dict().items())


@pytest.mark.parametrize(("optimizer", "rate"), [("sgd", 0.05), ("adam", 0.003)])
@pytest.mark.parametrize("which", ["translator", "continuer"])
def test_it_is_the_loop_that_everybody_writes(
    request: pytest.FixtureRequest, which: str, optimizer: Optimizer, rate: float
) -> None:
    translator: Translator = request.getfixturevalue(which)
    taught = teach.teach(translator, SOURCE, TARGET, 6, rate, optimizer)
    losses, lengths, model = plainly(translator, taught.correction)
    np.testing.assert_allclose(taught.losses, losses, atol=1e-6, rtol=0)
    np.testing.assert_allclose(np.sqrt((taught.gradients**2).sum(1)), lengths, rtol=1e-5)
    theirs, before = model.state_dict(), translator.model.state_dict()
    for name, weights in taught.translator.model.state_dict().items():
        learnt, expected = weights - before[name], theirs[name] - before[name]
        torch.testing.assert_close(learnt, expected, atol=1e-5, rtol=2**-11)  # as float16 has it


def test_the_same_correction_makes_the_same_weights_and_the_model_stays(
    translator: Translator,
) -> None:
    before = {name: w.clone() for name, w in translator.model.state_dict().items()}
    one, other = (teach.teach(translator, SOURCE, TARGET, 3, 0.05) for _ in range(2))
    again = other.translator.model.state_dict()
    for name, weights in one.translator.model.state_dict().items():
        assert torch.equal(weights, again[name])
        assert torch.equal(translator.model.state_dict()[name], before[name])
    assert one.translator.checkpoint == other.translator.checkpoint
    assert (
        one.translator.checkpoint
        != teach.teach(translator, SOURCE, TARGET, 4, 0.05).translator.checkpoint
    )
    assert all(p.grad is None for p in one.translator.model.parameters())


def test_what_is_told_of_it(translator: Translator) -> None:
    taught = teach.teach(translator, SOURCE, TARGET, 40, 0.05)
    assert taught.learnt is not None
    assert taught.learnt > 0
    assert taught.outputs[taught.learnt] == taught.outputs[-1] == TARGET
    longest = 2 * (len(taught.tgt_in) + 1) + 10
    assert taught.outputs[0] == translator.translate(SOURCE, max_steps=longest)
    assert taught.translator.translate(SOURCE) == TARGET
    trace = translator.trace(SOURCE, TARGET)
    assert (taught.src, taught.tgt_in, taught.tgt_out) == (trace.src, trace.tgt_in, trace.tgt_out)
    # The loss is the mean of −ln p, and the film begins with the model's own attention.
    computed = -np.log(taught.probabilities).mean(1)
    np.testing.assert_allclose(computed, taught.losses, atol=1e-5)
    assert taught.film is not None
    after = taught.translator.trace(SOURCE, TARGET)
    for moment, expected in ((0, trace.cross), (40, after.cross)):
        filmed = taught.film.moment(moment).weights("cross")
        assert filmed is not None
        assert expected is not None
        np.testing.assert_allclose(filmed, expected, atol=1e-3)
    payload = json.loads(json.dumps(taught.payload()))
    assert payload["correction"]["how"] == "sgd-40-0.05"
    assert payload["film"]["steps"] == [*range(41)]
    assert len(payload["losses"]) == len(payload["likeliest"]) == 41
    figure = taught.figure()
    assert figure.data


def test_of_long_sentences_a_film_keeps_some_moments(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = teach.teach(translator, SOURCE, TARGET, 5).film
    assert whole is not None
    cells = sum(weights.size for weights in whole.weights[0][0].values())
    monkeypatch.setattr(import_module("transformer.teach.teach"), "FILM_CELLS", 2 * cells)
    cut = teach.teach(translator, SOURCE, TARGET, 5).film
    assert cut is not None
    assert cut.steps == [0, 3, 5]
    np.testing.assert_array_equal(cut.weights[3][0]["cross"], whole.weights[3][0]["cross"])


def test_each_heads_gradient_is_of_what_is_its_own(translator: Translator) -> None:
    taught = teach.teach(translator, SOURCE, TARGET, 1, 0.05)
    ids, model = read(translator, taught.correction), copy_of(translator.model)
    tgt = torch.tensor([ids.tgt])
    logits = model.decode(tgt[:, :-1], model.encode(torch.tensor([ids.src])))
    F.cross_entropy(logits[0], tgt[0, 1:]).backward()
    attention = model.decoder.layers[1].cross_attention
    size, head = attention.d_head, 2
    rows = [i * 16 + head * size + j for i in range(3) for j in range(size)]
    projections, output = attention.query_key_value, attention.output
    assert projections.weight.grad is not None
    assert projections.bias.grad is not None
    assert output.weight.grad is not None
    own = [
        projections.weight.grad[rows],
        projections.bias.grad[rows],
        output.weight.grad[:, head * size : (head + 1) * size],
    ]
    expected = torch.cat([each.flatten() for each in own]).norm()
    assert taught.head_gradients["cross"][0, 1, head] == pytest.approx(float(expected), rel=1e-5)
    assert taught.head_gradients["encoder_self"].shape == (1, 2, 4)
    place = taught.parts.index("encoder.L1.feed_forward")
    layer = model.encoder.layers[0] if model.encoder else None
    assert layer is not None
    modules = (layer.feed_forward, layer.feed_forward_residual.norm)
    part = [p.grad for module in modules for p in module.parameters() if p.grad is not None]
    length = torch.cat([each.flatten() for each in part]).norm()
    assert taught.gradients[0, place] == pytest.approx(float(length), rel=1e-5)


def test_a_matrix_that_is_embedding_and_output_is_told_once(tokenizer: Tokenizer) -> None:
    for tied, shared in (
        ("output", {"decoder.embedding": "output"}),
        ("all", {"decoder.embedding": "output", "encoder.embedding": "output"}),
    ):
        tied_one = Translator(tiny_checkpoint(tokenizer, tied_embeddings=tied, max_length=64))
        taught = teach.teach(tied_one, SOURCE, TARGET, 1)
        assert taught.shared == shared
        assert not set(taught.parts) & set(shared)


def test_a_rate_that_is_too_high_is_said_and_undone(translator: Translator) -> None:
    able = teach.teach(translator, SOURCE, TARGET, 40, 0.05).translator
    taught = teach.teach(able, SOURCE, TARGET, 3, 1, "adam")
    assert taught.undone == "rose"
    assert taught.rose == 1
    assert taught.translator is able


def test_a_loss_that_is_no_number_ends_the_run(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    translator = Translator(tiny_checkpoint(tokenizer, max_length=64))
    monkeypatch.setattr("transformer.teach.correction.MOST_RATE", 1e30)
    taught = teach.teach(translator, SOURCE, TARGET, 9, 1e20)
    assert taught.undone == "not_a_number"
    assert len(taught.losses) < 10
    assert taught.translator is translator
    payload = json.loads(json.dumps(taught.payload(), allow_nan=False))
    assert payload["losses"][-1] is None


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"steps": 0}, "bad_correction"),
        ({"steps": 51}, "bad_correction"),
        ({"steps": True}, "bad_correction"),
        ({"rate": 0.0}, "bad_correction"),
        ({"rate": 1e-7}, "bad_correction"),
        ({"rate": 1.5}, "bad_correction"),
        ({"rate": float("nan")}, "bad_correction"),
        ({"rate": float("inf")}, "bad_correction"),
        ({"optimizer": "lbfgs"}, "bad_correction"),
        ({"target": " "}, "empty_target"),
        ({"source": "\u200b"}, "empty_source"),
        ({"target": "猫" * 80}, "source_too_long"),
    ],
)
def test_what_is_no_correction_is_refused(
    translator: Translator, change: dict[str, object], code: str
) -> None:
    given = {"source": SOURCE, "target": TARGET, "rate": 0.02} | change
    with pytest.raises(HeadlightError) as refused:
        teach.teach(translator, **given)  # pyright: ignore[reportArgumentType]
    assert refused.value.code == code


def test_how_is_written_as_addresses_have_it() -> None:
    for how in ("sgd-10-0.02", "adam-1-0.0003", "sgd-50-1", "sgd-7-0.000001"):
        assert Correction.of("a", "b", how).how == how
    assert Correction.of("a", "b").how == "sgd-10-0.02"
    for how in ("sgd", "sgd-0-0.02", "sgd-10-2", "sgd-10--1", "sgd-10-1e-3", "sgd-100-0.1", "x"):
        with pytest.raises(HeadlightError):
            Correction.of("a", "b", how)


def test_what_a_correction_cost(translator: Translator) -> None:
    taught = teach.teach(translator, SOURCE, TARGET, 20, 0.05)
    cost = teach.forgetting(translator, taught.translator)
    assert [each.source for each in cost.sentences] == ["I love you."]
    [only] = cost.sentences
    assert only.before == translator.trace("I love you.", max_steps=40, top_k=0).translation
    assert only.after == taught.translator.trace("I love you.", max_steps=40, top_k=0).translation
    assert cost.changed == (only.before != only.after)
    assert teach.forgetting(translator, translator).changed == 0


def test_lines_that_a_model_has_read_are_its_own(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path))
    rows = [f"Line {i}.\t第{i}行。\n" for i in range(1, 101)]
    (tmp_path / "everyday.tsv").write_text("".join(rows), encoding="utf-8")
    it = tiny_checkpoint(tokenizer, max_length=64)
    it.card["training_text"] = {
        "files": [{"name": "../everyday.tsv", "columns": [1, 0], "lines": [[3, 4], [60, 100]]}]
    }
    cost = teach.forgetting(one := Translator(it), one)
    assert cost.examples == 1
    assert [each.source for each in cost.sentences[1:4]] == ["第3行。", "第60行。", "第62行。"]
    assert len(cost.sentences) == 21


def test_the_view_with_gradients_is_the_model_itself() -> None:
    translator = Translator.load("reverse", device="cpu")
    view = differentiable(translator)
    theirs = dict(translator.model.named_parameters())
    assert all(theirs[name] is parameter for name, parameter in view.model.named_parameters())
    assert differentiable(translator) is view
    src, tgt = torch.tensor([[5, 6, 2]]), torch.tensor([[1, 6, 5]])
    with torch.no_grad():
        torch.testing.assert_close(view.model(src, tgt), translator.model(src, tgt))
    assert view.model(src, tgt).requires_grad


def test_the_command(
    tokenizer: Tokenizer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path))
    checkpoint.save(tmp_path / "tiny", tiny_checkpoint(tokenizer, max_length=64))
    command = ["teach", SOURCE, TARGET, "--model", "tiny"]
    assert main([*command, "--steps", "30", "--rate", "0.05"]) == 0
    printed = capsys.readouterr().out
    assert "Learnt after" in printed
    assert "of 1 other sentences are said otherwise now" in printed
    assert main([*command, "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["checkpoint"].count("+") == 1
    assert output["forgetting"]["examples"] == 1
    able = teach.teach(Translator.load("tiny"), SOURCE, TARGET, 40, 0.05).translator
    monkeypatch.setattr("transformer.teach.teach_command.load_model", lambda _: able)
    assert main([*command, "--rate", "1", "--optimizer", "adam", "--steps", "2"]) == 1
    assert "All is undone" in capsys.readouterr().out
    assert main([*command, "--rate", "7"]) == 2
