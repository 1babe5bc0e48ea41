"""When the model knew: what each decoder layer would say, if it were the last."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from ..ask.analysis import Result, analysis
from ..ask.passes import without_banned
from ..show.maps import Figure, token_map
from ..show.matrix import steps
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..translator import Translator


@dataclass(frozen=True, kw_only=True, eq=False)
class Lens(Result):
    """The logit lens: every layer's state, read by the output projection.

    Attributes:
        tgt_in, tgt_out: of the trace.
        tokens: [layer][tgt]: labels of the likeliest tokens.
        ids: int64 [layer, tgt]: theirs.
        probability: float32 [layer, tgt]: theirs, 0 to 1.
        emitted: float32 [layer, tgt]: the probability of the token that was emitted.
        rank: int64 [layer, tgt]: where the emitted token stands in the layer's order; 1 is first.

    The last layer's row is the model's own answer. A post-norm layer hands on what its LayerNorm
    made, as the last one does; of a pre-norm model each state goes through the final LayerNorm.

    Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
    """

    schema = """
    tgt_in: text [tgt]
    tgt_out: text [tgt]
    tokens: text [layer, tgt]
    ids: integer [layer, tgt]
    probability: float32 [layer, tgt] probability
    emitted: float32 [layer, tgt] probability
    rank: integer [layer, tgt]
    """

    tgt_in: tuple[str, ...]
    tgt_out: tuple[str, ...]
    tokens: tuple[tuple[str, ...], ...]
    ids: npt.NDArray[np.int64]
    probability: Weights
    emitted: Weights
    rank: npt.NDArray[np.int64]

    def figure(self) -> Figure:
        """A map layers × steps: each layer's likeliest token, by its probability."""
        layers = [f"layer {layer + 1}" for layer in range(len(self.tokens))]
        title = "What each layer would say (logit lens)"
        read, axes = steps(self.tgt_in, self.tgt_out), ("reads → predicts", "decoder")
        return token_map(self.probability, layers, read, title, "probability", axes, self.tokens)


@analysis(needs=("states",))
def lens(translator: Translator, trace: AttentionTrace) -> Lens:
    """What every decoder layer would say at every step of a trace."""
    recording = translator.replay(trace.source, trace.tgt_ids, trace.interventions, ("output",))
    decoder = translator.model.decoder
    with torch.inference_mode():
        states = torch.cat(recording.at("decoder", "output"))  # [layer, tgt, d_model]
        # Layer by layer, as decoding itself does: the last one is then the same to the bit.
        logits = [decoder.output(decoder.norm(state[None]))[0] for state in states]
        probabilities = without_banned(translator, torch.stack(logits)).softmax(-1)
        best = probabilities.max(-1)
        emitted_ids = torch.tensor(trace.tgt_ids, device=translator.device)
        emitted = probabilities.gather(-1, emitted_ids.expand(len(states), -1)[..., None])
        rank = 1 + (probabilities > emitted).sum(-1)
    ids: npt.NDArray[np.int64] = best.indices.cpu().numpy()
    return Lens(
        tgt_in=trace.tgt_in,
        tgt_out=trace.tgt_out,
        tokens=tuple(tuple(translator.tgt_tokenizer.pieces(layer)) for layer in ids.tolist()),
        ids=ids,
        probability=read_only(best.values.cpu().numpy()),
        emitted=read_only(emitted[..., 0].cpu().numpy()),
        rank=rank.cpu().numpy(),
    )
