"""What the encoder had understood after each layer: the decoder reads it, and translates."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from torch import Tensor

from ..ask.analysis import Result, analysis
from ..ask.passes import src_of
from ..decoding import LiveRows, decode
from ..recording.batch import where
from ..recording.hooks import attached
from ..show.maps import Figure, token_map
from ..trace.sampling import StopReason
from ..trace.trace import AttentionTrace
from ..translator import Translator


@dataclass(frozen=True, kw_only=True)
class DecoderLens(Result):
    """A greedy translation from every encoder layer; the last is the model's own.

    Attributes:
        source: of the trace.
        translations: [layer]: the text from what that layer handed on.
        tokens: [layer][step]: labels of what was emitted.
        stop_reasons: [layer]: why each ended.

    Source: Langedijk et al. 2023, "DecoderLens: Layerwise Interpretation of Encoder-Decoder
    Transformers".
    """

    schema = """
    source: text
    translations: text [layer]
    tokens: text [layer, step]
    stop_reasons: text [layer]
    """

    source: str
    translations: tuple[str, ...]
    tokens: tuple[tuple[str, ...], ...]
    stop_reasons: tuple[StopReason, ...]

    def figure(self) -> Figure:
        """A map layers × steps: each layer's tokens, marked where the last one's are the same."""
        width = max(map(len, self.tokens))
        rows = [[*layer, *[""] * (width - len(layer))] for layer in self.tokens]
        same = [
            [
                float(token == last) if token else np.nan
                for token, last in zip(row, rows[-1], strict=True)
            ]
            for row in rows
        ]
        layers = [f"encoder layer {layer + 1}" for layer in range(len(rows))]
        steps = [str(step + 1) for step in range(width)]
        title = "What the decoder writes from each encoder layer (DecoderLens)"
        return token_map(np.array(same), layers, steps, title, "as the last", ("step", ""), rows)


@analysis(
    needs=("cross", "states"),
    ours_alone="a decoder that reads the encoder half-way is built for our own models alone",
)
def decoder_lens(translator: Translator, trace: AttentionTrace, max_steps: int = 64) -> DecoderLens:
    """Lets the decoder read each encoder layer's output in place of the last one's.

    Args:
        translator: whose model made the trace.
        trace: of which the source is translated anew, greedily; changes of its attention stay.
        max_steps: the most tokens to emit.
    """
    model, src = translator.model, src_of(translator, trace)
    recording = translator.replay(trace.source, trace.tgt_ids, trace.interventions, ("output",))
    last = model.towers()["encoder"].layers[-1]
    readings: list[tuple[str, tuple[str, ...], StopReason]] = []
    for state in recording.at("encoder", "output"):

        def instead(*_: object, state: Tensor = state) -> Tensor:
            return state

        # A change to one step finds it by what the decode tells: each pass begins with another.
        live = LiveRows(1)
        place = partial(where, live, 0)
        with translator.intervene(trace.interventions, place), attached([(last.output, instead)]):
            [hypothesis] = decode(model, src, max_steps=max_steps, top_k=0, live=live)
        text = translator.tgt_tokenizer.decode(hypothesis.ids)
        labels = tuple(translator.tgt_tokenizer.pieces(hypothesis.ids))
        readings.append((text, labels, hypothesis.stop_reason))
    translations, tokens, reasons = zip(*readings, strict=True)
    return DecoderLens(
        source=trace.source, translations=translations, tokens=tokens, stop_reasons=reasons
    )
