"""`headlight.view`: tensors as models return them, and what cannot be."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers.modeling_outputs import BaseModelOutput, Seq2SeqModelOutput

import headlight
from transformer import AttentionTrace
from transformer.guests.hugging_face.texts import Texts
from transformer.guests.labels import marks_of, read_labels
from transformer.trace.interventions import Intervention

TOKENS = ["[CLS]", "the", "cat", "##s", "[SEP]", "they", "[SEP]"]


def softmax(*shape: int, causal: bool = False, seed: int = 0) -> Any:
    scores = np.random.default_rng(seed).normal(size=shape)
    if causal:
        scores = np.where(np.tril(np.ones(shape[-2:], bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True)).astype(np.float32)


BERT = softmax(3, 2, 7, 7)


WITHOUT_OTHERS = """
import sys, numpy, headlight
headlight.view(numpy.full((1, 1, 2, 2), 0.5), ["a", "b"]).save(sys.argv[1])
print({"torch", "gradio", "transformers", "plotly"} & sys.modules.keys())
"""


def test_importing_and_drawing_bring_no_library_along(tmp_path: Path) -> None:
    page = tmp_path / "x.html"
    command = [sys.executable, "-W", "error", "-c", WITHOUT_OTHERS, page]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
    assert "<!doctype html" in page.read_text(encoding="utf-8")


def test_the_command_says_what_the_page_needs() -> None:
    code = """
import sys
sys.modules["gradio"] = None
from headlight.command import main
sys.exit(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        'headlight: the page needs the package gradio: pip install "headlight-attention[app]"\n'
    )


@pytest.mark.parametrize(
    "given",
    [
        BERT,
        tuple(BERT),
        [layer[None] for layer in BERT],
        torch.from_numpy(BERT),
        tuple(torch.from_numpy(layer)[None].requires_grad_() for layer in BERT),
    ],
    ids=["array", "tuple", "batch of one", "tensor", "as models return it"],
)
def test_tensors_are_taken_as_they_come(given: object) -> None:
    trace = headlight.view(given, TOKENS)
    np.testing.assert_array_equal(trace.encoder_self, BERT)
    assert trace.guest.form == "encoder"
    assert trace.src == ("[CLS]", "␣the", "␣cat", "s", "[SEP]", "␣they", "[SEP]")
    assert trace.guest.words["src"] == (None, 0, 1, 1, None, 2, None)
    assert trace.source == "the cats they"


def test_half_precision_keeps_its_rows_as_they_are() -> None:
    half = torch.from_numpy(BERT).to(torch.bfloat16)
    trace = headlight.view(tuple(half), TOKENS)
    assert trace.guest.origin.dtype == "bfloat16"
    np.testing.assert_array_equal(trace.encoder_self, half.float().numpy())


def test_a_decoder_is_known_by_its_zeros(capsys: pytest.CaptureFixture[str]) -> None:
    weights = softmax(2, 2, 4, 4, causal=True)
    trace = headlight.view(weights, ["Ġa", "b", "Ġc", "."])
    assert trace.guest.form == "decoder"
    assert trace.tgt_in == ("␣a", "b", "␣c", ".")
    assert trace.tgt_out == ("b", "␣c", ".", "")
    assert "no token looks ahead" in capsys.readouterr().out
    assert headlight.view(weights, causal=False).guest.form == "encoder"
    with pytest.raises(ValueError, match=r"attention\[0\] has weights above its diagonal"):
        headlight.view(BERT, causal=True)


def test_an_encoder_decoder_has_three_kinds_of_any_size(tmp_path: Path) -> None:
    given = {
        "encoder_attention": softmax(2, 1, 2, 3, 3),
        "decoder_attention": softmax(3, 1, 4, 2, 2, causal=True),
        "cross_attention": softmax(3, 1, 4, 2, 3),
    }
    trace = headlight.view(
        **given, encoder_tokens=["▁I", "▁am", "</s>"], decoder_tokens=["<s>", "▁Je"], title="toy"
    )
    for kind, name in (
        ("encoder_self", "encoder_attention"),
        ("decoder_self", "decoder_attention"),
        ("cross", "cross_attention"),
    ):
        np.testing.assert_array_equal(getattr(trace, kind), given[name][:, 0])
    assert (trace.model, trace.src, trace.tgt_in) == ("toy", ("␣I", "␣am", "</s>"), ("<s>", "␣Je"))
    opened = headlight.view(**given, layer=2, heads=[3], include_layers=[0, 2])
    assert {kind: it.head for kind, it in opened.heads.items()} == dict.fromkeys(
        ("decoder_self", "cross"), "L3H4"
    )
    alone = headlight.view(cross_attention=given["cross_attention"])
    assert (alone.decoder_self, alone.src, alone.tgt_in) == (None, ("1", "2", "3"), ("1", "2"))
    for suffix in ("json", "npz"):
        trace.save(tmp_path / f"x.{suffix}")
        assert AttentionTrace.load(tmp_path / f"x.{suffix}").to_dict() == trace.to_dict()


def test_layers_keep_their_numbers() -> None:
    trace = headlight.view(BERT, TOKENS, include_layers=[2], include_heads=[0], layer=2, heads=[0])
    layers = trace.layers("encoder_self")
    assert [layer is None for layer in layers] == [True, True, False]
    np.testing.assert_array_equal(layers[2], BERT[2, :1])
    assert trace.heads["encoder_self"].head == "L3H1"
    mixed = headlight.view((BERT[0], None, BERT[1, :1]), TOKENS)
    assert [it if it is None else len(it) for it in mixed.layers("encoder_self")] == [2, None, 1]


def test_padding_on_either_side_is_cut_away() -> None:
    for mask in ([0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]):
        kept = [at for at, keeps in enumerate(mask) if keeps]
        mine = slice(kept[0], kept[-1] + 1)
        batch = np.full((2, 3, 6, 6), np.nan, np.float32)
        batch[1, :, mine] = 0
        batch[1, :, mine, mine] = inner = softmax(3, 4, 4)
        masks = torch.tensor([[1] * 6, mask])
        trace = headlight.view((batch,), [*"abcdef"], row=1, attention_mask=masks)
        np.testing.assert_array_equal(trace.encoder_self[0], inner)
        assert trace.src == tuple("abcdef"[at] for at in kept)


def test_numbers_of_numpy_s_name_layers_and_heads() -> None:
    layers: Any = np.array([1, 2])
    heads: Any = np.array([0, 1])
    trace = headlight.view(
        BERT[:, None], TOKENS, include_layers=layers, include_heads=heads, heads=heads, layer=1
    )
    assert [it is None for it in trace.layers("encoder_self")] == [True, False, False]
    batch = np.stack([BERT, softmax(3, 2, 7, 7, seed=1)], 1)
    np.testing.assert_array_equal(headlight.view(batch, row=True).encoder_self, batch[:, 1])


def test_what_a_smaller_tower_lacks_is_taken_of_the_larger() -> None:
    given = {
        "encoder_attention": softmax(2, 2, 3, 3),
        "decoder_attention": softmax(3, 4, 2, 2, causal=True),
        "cross_attention": softmax(3, 4, 2, 3),
    }
    trace = headlight.view(**given, include_layers=[2], include_heads=[3])
    assert trace.encoder_self is None
    np.testing.assert_array_equal(trace.layers("cross")[2], given["cross_attention"][2])
    assert len(headlight.view(**given, include_heads=[3]).encoder_self[0]) == 2


def test_rows_without_weights_are_masked() -> None:
    weights = BERT.copy()
    weights[:, :, 2] = np.nan
    weights[1, 1] = 0
    trace = headlight.view(weights, TOKENS)
    assert not trace.encoder_self[0, :, 2].any()
    assert [*trace.allowed("encoder_self", 0).any(-1)] == [True, True, False, *[True] * 4]
    assert trace.interventions == (Intervention("encoder_self", 1, 1, "zero"),)
    assert AttentionTrace.from_dict(trace.to_dict()).to_dict() == trace.to_dict()


def test_two_sentences_are_parts() -> None:
    trace = headlight.view(BERT, TOKENS, 5)
    assert trace.guest.parts["src"] == (-1, 0, 0, 0, -1, 1, -1)
    assert trace.to_dict()["parts"] == {"src": [-1, 0, 0, 0, -1, 1, -1]}


def test_bertvizs_last_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    page = headlight.view(BERT, TOKENS, html_action="return", display_mode="dark")
    assert "<iframe" in page.data
    assert "display_mode is taken" in capsys.readouterr().out
    headlight.view(BERT, TOKENS, html_action="view", prettify_tokens=False)
    assert 'view(...).save("x.html")' in capsys.readouterr().out


def test_a_second_sentence_is_counted_with_the_padding_that_is_cut_away() -> None:
    padded = np.pad(softmax(2, 5, 5), ((0, 0), (2, 0), (2, 0)))
    mask = [0, 0, 1, 1, 1, 1, 1]
    bare = ["[CLS]", "a", "[SEP]", "b", "[SEP]"]
    for tokens, start in ((["[PAD]", "[PAD]", *bare], 5), (bare, 3)):
        trace = headlight.view((padded,), tokens, start, attention_mask=mask)
        assert trace.guest.parts["src"] == (-1, 0, -1, 1, -1)
    assert headlight.view((padded,), None, 5, attention_mask=mask).guest.parts["src"] == (
        *(0, 0, 0),
        *(1, 1),
    )


def test_heads_are_named_up_to_the_widest_layer() -> None:
    trace = headlight.view((BERT[0], BERT[1, :1]), TOKENS, include_heads=[1])
    assert [len(it) for it in trace.layers("encoder_self")] == [2, 1]


def test_one_line_says_what_a_decoder_reads(capsys: pytest.CaptureFixture[str]) -> None:
    trace = headlight.view(softmax(2, 2, 3, 3, causal=True), ["Ġa", "b", "Ġc"])
    assert repr(trace) == "<AttentionTrace : 'ab c', 3 tokens, 2 x 2 heads>"
    capsys.readouterr()


OUTPUT = BaseModelOutput(attentions=tuple(torch.from_numpy(BERT)))
PAIR = Seq2SeqModelOutput(encoder_attentions=OUTPUT.attentions, cross_attentions=OUTPUT.attentions)

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("one layer", {"attention": BERT, "include_layers": 1}, "include_layers is 1; expected a list"),
    ("one head", {"attention": BERT, "heads": 1}, "heads is 1; expected a list of heads"),
    ("no such head", {"attention": BERT[:, :1], "heads": [1]}, "has 1, but there is 1 head,"),
    (
        "a layer that is left out",
        {"attention": BERT, "include_layers": [1], "layer": 0},
        "layer=0 has no attention, or include_layers",
    ),
    ("an output", {"attention": OUTPUT}, r"is a BaseModelOutput: hand in its \.attentions"),
    ("two towers", {"attention": PAIR}, "encoder_attention=output.encoder_attentions, cross_att"),
    ("an output without", {"attention": BaseModelOutput()}, "call the model with output_attention"),
    ("ids", {"attention": torch.ones(1, 8).long()}, "holds ids: hand in what generate"),
    ("not square", {"attention": BERT[:, :, :3]}, "as many queries as keys"),
    (
        "a mask that was not there",
        {"attention": BERT, "attention_mask": [1] * 6 + [0]},
        r"gives up to 0\.\d+ of a row to padding.*was the model given this attention_mask",
    ),
    ("infinity", {"attention": np.where(BERT > 0.3, np.inf, BERT)}, "holds inf, which is no wei"),
    ("a tokenizer", {"attention": BERT, "tokenizer": object()}, "belong to what generate"),
    (
        "crossing alone",
        {"cross_attention": ((BERT[0],), (BERT[0],))},
        "name its decoder_attentions as decoder_attention=",
    ),
    ("nothing", {}, "there is neither"),
    ("both", {"attention": BERT, "cross_attention": BERT}, "there are both"),
    ("scores", {"attention": BERT * 9}, r"attention\[0\] has rows that sum to 9: these look like"),
    ("logits", {"attention": BERT - 1}, "which is no weight: these look like scores"),
    ("dropout", {"attention": BERT * 0.8}, r"sum to 0.8: was the model in training mode"),
    ("None", {"attention": (None, None)}, "output_attentions=True"),
    ("a matrix", {"attention": BERT[0, 0]}, r"is of shape \(7, 7\); expected a tuple by layer"),
    ("two axes", {"attention": (BERT[0, 0],)}, r"attention\[0\] has shape \(7, 7\); expected"),
    ("no layer", {"attention": ()}, "attention is empty"),
    (
        "tokens",
        {"attention": BERT, "tokens": ["a"]},
        r"tokens has 1 tokens, but attention\[0\] has",
    ),
    ("a text", {"attention": BERT, "tokens": "hello w"}, "tokens is str; expected a list of texts"),
    ("ids", {"attention": BERT, "tokens": [1] * 7}, "tokens has 1 in it"),
    ("a row", {"attention": BERT[:, None], "row": 1}, "row=1, but .* a batch of 1"),
    ("a layer", {"attention": BERT, "include_layers": [3]}, "has 3, but there are 3 layers"),
    ("a head", {"attention": BERT, "heads": [2]}, "has 2, but there are 2 heads"),
    ("a part", {"attention": BERT, "sentence_b_start": 7}, "sentence_b_start=7, but there are"),
    ("a mask", {"attention": BERT, "attention_mask": [1, 1]}, "attention_mask has 2 tokens, but"),
    ("counts", {"attention": np.ones((1, 1, 1, 1), int)}, "holds int64"),
    ("unlike", {"attention": (BERT[0], BERT[0, :, :3, :3])}, "asks for 3 tokens, but"),
    ("half a row of NaN", {"attention": np.where(np.eye(7), np.nan, BERT)}, "only some weights"),
    ("much", {"attention": np.broadcast_to(np.float32(0), (30, 30, 600, 600))}, "takes 1.3 GB"),
    ("sparse", {"attention": torch.tensor(BERT).to_sparse()}, r"attention\[0\] is a sparse tensor"),
    ("no values", {"attention": torch.tensor(BERT).to("meta")}, "lies on the meta device, where"),
    ("no row", {"attention": BERT, "row": None}, "row=None; expected which text of the batch"),
    ("half a layer", {"attention": BERT, "layer": 0.5}, "layer has 0.5 in it; expected whole num"),
    ("half a part", {"attention": BERT, "sentence_b_start": 2.5}, "sentence_b_start=2.5, but"),
    ("a word", {"attention": BERT, "causal": "yes"}, "causal='yes'; expected True, False or None"),
    ("a side", {"attention": BERT, "encoder_tokens": ["a"]}, "name tokens="),
    ("an action", {"attention": BERT, "html_action": "show"}, "html_action is 'show'"),
    (
        "made float32 afterwards",
        {"attention": torch.tensor(BERT).bfloat16().float()},
        r"rows that sum to (0\.99|1\.00)\d+: were they computed in half precision",
    ),
    ("a sink", {"attention": BERT * 0.5}, "Or has it sinks, as gpt-oss"),
    ("masks", {"attention": BERT, "attention_mask": [[1] * 7, [1]]}, "rows are of unlike length"),
    ("switches", {"attention": BERT, "causal": np.ones(2)}, "expected True, False or None"),
    ("marks", {"attention": BERT, "prettify_tokens": np.ones(2)}, "prettify_tokens=array"),
    ("a batch", {"attention": BERT, "tokens": np.array([TOKENS])}, "tokens has array.*… in it"),
    ("half a sign", {"attention": BERT, "tokens": ["\ud800"] * 7}, "half of a surrogate pair"),
    ("a part's name", {"attention": BERT, "sentence_b_start": "5"}, "sentence_b_start='5', but"),
]


@pytest.mark.parametrize(("what", "arguments", "sentence"), REFUSED, ids=[it[0] for it in REFUSED])
def test_what_cannot_be_is_one_sentence(
    what: str, arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence) as refused:
        headlight.view(**arguments)
    assert "\n" not in str(refused.value), what


LABELS: list[tuple[list[str], list[str], list[int | None]]] = [
    (
        ["▁Hello", ",", "▁wor", "ld", "</s>"],
        ["␣Hello", ",", "␣wor", "ld", "</s>"],
        [0, 1, 2, 2, None],
    ),
    (
        ["Hi", "Ġthere", "Ċ", "æĪ", "ĳ"],
        ["Hi", "␣there", "↵", "\\xe6\\x88", "\\x91"],
        [0, 1, 2, 3, 3],
    ),
    (
        # A tab, U+0001, U+200B, and a word joiner within an emoji.
        ["Hi", "Ġthere", "ĉ", "ā", "âĢĭ", "ðŁĳ©âĢįðŁĶ¬"],
        ["Hi", "␣there", "⇥", "\\x01", "\\u{200b}", "👩\u200d🔬"],
        [0, 1, 2, 3, 4, 4],
    ),
    (["<s>", "▁", "<0xE6>", "<0x88>"], ["<s>", "␣", "\\xe6", "\\x88"], [None, 0, 1, 1]),
    (
        ["[CLS]", "un", "##do", "!", "[MASK]"],
        ["[CLS]", "␣un", "do", "!", "[MASK]"],
        [None, 0, 0, 1, 2],
    ),
    (["hel", "lo</w>", "you</w>"], ["␣hel", "lo", "␣you"], [0, 0, 1]),
    (["cat", "dog"], ["cat", "dog"], [0, 1]),
]


@pytest.mark.parametrize(("tokens", "shown", "words"), LABELS, ids=[it[0][1] for it in LABELS])
def test_words_are_read_by_their_tokenizers_marks(
    tokens: list[str], shown: list[str], words: list[int | None]
) -> None:
    labels = read_labels(tokens)
    assert [*labels.shown] == shown
    assert [*labels.words] == words
    assert read_labels(tokens, prettify=False) == (tuple(tokens), labels.words)


VOCABULARIES = [
    (["Ġcat", "Ġdog", "##", "æ", "ĸ", "ĩ"], ["æ", "ĸ", "##"], ["\\xe6", "\\x96", "##"]),
    (["un", "do", "cat", "##do", "##ne"], ["cat", "##do"], ["␣cat", "do"]),
    (["▁cat", "▁dog", "Ġ", "s"], ["s", "▁dog"], ["s", "␣dog"]),
    (["cat", "dog"], ["cat"], ["cat"]),
]


@pytest.mark.parametrize(("vocabulary", "tokens", "shown"), VOCABULARIES)
def test_candidates_are_read_by_the_marks_of_the_whole_vocabulary(
    vocabulary: list[str], tokens: list[str], shown: list[str]
) -> None:
    """Those of one step may have none of them."""

    class Tokenizer:
        is_fast = True
        all_special_ids = ()

        def get_vocab(self) -> dict[str, int]:
            return {token: number for number, token in enumerate(vocabulary)}

        def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
            return [vocabulary[number] for number in ids]

    ids = [vocabulary.index(token) for token in tokens]
    assert [*Texts(Tokenizer(), "a guest", None).labels(ids).shown] == shown
    assert [*read_labels(tokens, marks=marks_of(Tokenizer())).shown] == shown


def test_a_heatmap_reads_layers_that_are_not_alike() -> None:
    weights = softmax(2, 4, 4, causal=True)
    trace = headlight.view((None, weights, weights[:1]), causal=True)
    figure = trace.heatmap("decoder_self", 1, 1)
    assert np.isnan(np.array(figure.data[0].z, float)).sum() == 6
    with pytest.raises(ValueError, match="layer 0 of decoder_self has no attention"):
        trace.heatmap("decoder_self", 0, 0)
    with pytest.raises(ValueError, match="has heads 0 to 0, not 1"):
        trace.heatmap("decoder_self", 2, 1)
