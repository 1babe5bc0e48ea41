import torch
from heads import MultiHeadAttention
from torch import Tensor, nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.attention_norm = nn.LayerNorm(d_model)
        self.inner = nn.Linear(d_model, d_ff)
        self.outer = nn.Linear(d_ff, d_model)
        self.feed_forward_norm = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.attention_norm(x + self.self_attention(x, x, mask))
        return self.feed_forward_norm(x + self.outer(torch.relu(self.inner(x))))
