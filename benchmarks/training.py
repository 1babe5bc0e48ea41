"""Our training loop against the one that a tutorial of `torch.nn.Transformer` would write.

Both start from the same weights, with the same optimiser, schedule and loss, and take turns on two
threads, a block of steps at a time. The tutorial draws its batches as tutorials do: as many
sentences as ours, but at random, padded to the longest. A second one is given our very batches,
which are of like length: what is left is the speed of the arithmetic, and its losses must be ours.
"""

import math
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean, median
from time import perf_counter

import torch
from torch import Tensor, nn

from tests.reference import TorchTransformer
from transformer.model.layers import sinusoids
from transformer.model.towers import Transformer
from transformer.text.tokenizer import PAD_ID
from transformer.training.data import batch_stream, collate
from transformer.training.loop import Trainer
from transformer.training.precision import Bfloat16Linear
from transformer.training.recipe import Recipe

from .row import Row

THREADS = 2
BLOCKS, STEPS = 5, 4
"""Each loop takes so many turns of so many steps; the first turn warms up."""

SOURCE = [chr(0x4E00 + i) for i in range(2000)]
TARGET = [chr(0x5E00 + i) for i in range(1990)]


def rows() -> Iterator[Row]:
    """How much faster ours is, and how far its losses are from the tutorial's."""
    threads = torch.get_num_threads()
    torch.set_num_threads(THREADS)
    try:
        with tempfile.TemporaryDirectory() as folder:
            yield from _compare(Path(folder))
    finally:
        torch.set_num_threads(threads)


def _compare(folder: Path) -> Iterator[Row]:
    data = folder / "pairs.tsv"
    data.write_text("".join(_pairs(6_000)), encoding="utf-8")
    recipe = Recipe(
        train=(str(data),),
        dev=str(data),
        vocab_size=4000,
        characters=True,
        num_layers=3,
        d_model=256,
        num_heads=8,
        d_ff=512,
        dropout=0.2,
        warmup=50,
        steps=BLOCKS * STEPS,
    )
    trainer = Trainer(recipe, folder / "run")
    assert isinstance(trainer.model, Transformer)
    trainer.model.train()
    tutorial, follower = (Tutorial(trainer.model, recipe) for _ in range(2))
    draw = random.Random(recipe.seed)
    batches = batch_stream(trainer.examples, recipe.batch_tokens, recipe.seed)

    def at_random(batch: list[int]) -> tuple[float, int]:
        return tutorial.learn(*collate(draw.sample(trainer.examples, len(batch))))

    def the_same(batch: list[int]) -> tuple[float, int]:
        return follower.learn(*collate([trainer.examples[index] for index in batch]))

    loops = {"ours": trainer.learn, "tutorial": at_random, "follower": the_same}
    speeds: dict[str, list[float]] = {name: [] for name in loops}
    losses: dict[str, list[float]] = {name: [] for name in loops}
    for _ in range(BLOCKS):
        block = [next(batches)[1] for _ in range(STEPS)]
        for name, learn in loops.items():
            speed, of_block = _run(learn, block)
            speeds[name].append(speed)
            losses[name].append(of_block)
    ours, theirs, on_ours = (median(speeds[name][1:]) for name in loops)
    precision = "bf16" if trainer.precision is Bfloat16Linear else "fp32"
    yield Row(
        "nn.Transformer's tokens a second / ours",
        _ratio(speeds["tutorial"], speeds["ours"]),
        "×",
        0.5,
        f"{theirs:,.0f} / {ours:,.0f} target tokens/s, {precision}",
    )
    yield Row(
        "the same, on our batches",
        _ratio(speeds["follower"], speeds["ours"]),
        "×",
        None,
        f"{on_ours:,.0f} / {ours:,.0f}",
    )
    first, last = ([losses[name][i] for name in ("ours", "follower")] for i in (0, -1))
    yield Row(
        "their losses' difference after the same steps",
        100 * abs(last[0] - last[1]) / mean(last),
        "%",
        2,
        f"{last[0]:.3f} / {last[1]:.3f}, from {first[0]:.3f} / {first[1]:.3f}",
    )


def _ratio(theirs: Sequence[float], ours: Sequence[float]) -> float:
    """The median over the turns but the first."""
    return median(a / b for a, b in zip(theirs[1:], ours[1:], strict=True))


def _run(
    learn: Callable[[list[int]], tuple[float, int]], block: Sequence[list[int]]
) -> tuple[float, float]:
    """Target tokens a second, and the mean loss in nats a token."""
    start = perf_counter()
    results = [learn(batch) for batch in block]
    seconds = perf_counter() - start
    losses, tokens = (sum(column) for column in zip(*results, strict=True))
    return tokens / seconds, losses / tokens


def _pairs(count: int) -> Iterator[str]:
    """Made-up sentences of 3 to 30 words, ten on average, whose words follow Zipf's law.

    Each target word stands for the source word at its place, so that there is something to learn.
    """
    draw = random.Random(0)
    weights = [1 / (rank + 10) for rank in range(len(TARGET))]
    for _ in range(count):
        length = max(3, min(30, round(draw.lognormvariate(math.log(8.5), 0.45))))
        words = draw.choices(range(len(TARGET)), weights, k=length)
        source, target = ("".join(side[i] for i in words) for side in (SOURCE, TARGET))
        yield f"{source}\t{target}\n"


class Tutorial(nn.Module):
    """`nn.Transformer`, embeddings, and a loop, as one writes them the first time."""

    def __init__(self, ours: Transformer, recipe: Recipe) -> None:
        super().__init__()
        config = ours.config
        self.recipe = recipe
        self.steps = 0
        self.scale = math.sqrt(config.d_model)
        self.embedding = nn.Embedding(config.tgt_vocab_size, config.d_model)
        self.register_buffer(
            "positions", sinusoids(config.max_length, config.d_model, config.positions)
        )
        self.dropout = nn.Dropout(config.dropout)
        self.transformer = TorchTransformer(ours).transformer
        for module in self.transformer.modules():
            if isinstance(module, nn.Dropout):
                module.p = config.dropout
            elif isinstance(module, nn.MultiheadAttention):
                module.dropout = config.dropout
        self.output = nn.Linear(config.d_model, config.tgt_vocab_size)
        self.output.weight = self.embedding.weight
        self.embedding.load_state_dict(ours.decoder.embedding.token.state_dict())
        self.output.bias.data.zero_()
        self.loss = nn.CrossEntropyLoss(ignore_index=PAD_ID, label_smoothing=recipe.label_smoothing)
        self.optimizer = torch.optim.AdamW(
            self.parameters(), recipe.learning_rate, (0.9, 0.98), weight_decay=recipe.weight_decay
        )
        self.train()

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Source [batch, src] and target [batch, tgt] → logits [batch, tgt, vocab]."""
        causal = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool).triu(1)
        x = self.transformer(
            self._embed(src),
            self._embed(tgt),
            tgt_mask=causal,
            src_key_padding_mask=src == PAD_ID,
            tgt_key_padding_mask=tgt == PAD_ID,
            memory_key_padding_mask=src == PAD_ID,
        )
        return self.output(x)

    def _embed(self, ids: Tensor) -> Tensor:
        positions = self.get_buffer("positions")[: ids.size(1)]
        return self.dropout(self.embedding(ids) * self.scale + positions)

    def learn(self, src: Tensor, tgt: Tensor) -> tuple[float, int]:
        """One step; returns the summed loss and the number of target tokens."""
        self.steps += 1
        for group in self.optimizer.param_groups:
            group["lr"] = self.recipe.learning_rate_at(self.steps)
        logits = self(src, tgt[:, :-1])
        loss = self.loss(logits.flatten(0, 1), tgt[:, 1:].flatten())
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.parameters(), self.recipe.clip)
        self.optimizer.step()
        tokens = int((tgt[:, 1:] != PAD_ID).sum())
        return loss.item() * tokens, tokens
