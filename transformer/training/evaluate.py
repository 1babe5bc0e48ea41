"""How good a model is on sentences that it has not learned from."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import batched

import torch
import torch.nn.functional as F
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from torch import Tensor

from ..decoding import greedy_decode
from ..model import LanguageModel, Model
from ..tokenizer import Tokenizer
from .data import PAD_ID, Example, Text, collate
