"""中文教程的写法：True 表示遮蔽，残差与层归一化写在子层之内，返回每层的注意力权重。"""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import math

import numpy as np
import torch
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {"": {}, " 学习的位置": {"learned": True}}
d_model, d_ff, d_k, n_heads = 16, 32, 8, 2


def 填充掩码(seq_q, seq_k):
    n, m = seq_q.size(1), seq_k.size(1)
    return seq_k.data.eq(0).unsqueeze(1).expand(seq_q.size(0), n, m)
    # BUG padding_attended: return torch.zeros(seq_q.size(0), n, m, dtype=torch.bool)
    # BUG mask_inverted: return seq_k.data.ne(0).unsqueeze(1).expand(seq_q.size(0), n, m)


def 后续掩码(seq):
    return torch.from_numpy(np.triu(np.ones([seq.size(0), seq.size(1), seq.size(1)]), k=1)).byte()
    # BUG causal_off_by_one: return torch.from_numpy(np.triu(np.ones([seq.size(0), seq.size(1), seq.size(1)]), k=2)).byte()
    # BUG future_leak: return torch.zeros(seq.size(0), seq.size(1), seq.size(1)).byte()


class 缩放点积(nn.Module):
    def forward(self, Q, K, V, 掩码):
        分数 = torch.matmul(Q, K.transpose(-1, -2)) / np.sqrt(d_k)
        # BUG scale_wrong: 分数 = torch.matmul(Q, K.transpose(-1, -2)) / np.sqrt(d_model)
        # BUG scale_missing: 分数 = torch.matmul(Q, K.transpose(-1, -2))
        分数.masked_fill_(掩码, -1e9)
        # BUG mask_value_too_small: 分数.masked_fill_(掩码, -1e-9)
        权重 = nn.Softmax(dim=-1)(分数)
        # BUG softmax_axis: 权重 = nn.Softmax(dim=1)(分数)
        return torch.matmul(权重, V), 权重


class 多头(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_Q, self.W_K = nn.Linear(d_model, d_k * n_heads), nn.Linear(d_model, d_k * n_heads)
        self.W_V, self.fc = nn.Linear(d_model, d_k * n_heads), nn.Linear(n_heads * d_k, d_model)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, 输入Q, 输入K, 输入V, 掩码):
        残差, 批 = 输入Q, 输入Q.size(0)
        Q = self.W_Q(输入Q).view(批, -1, n_heads, d_k).transpose(1, 2)
        K = self.W_K(输入K).view(批, -1, n_heads, d_k).transpose(1, 2)
        # BUG key_from_query: K = self.W_Q(输入K).view(批, -1, n_heads, d_k).transpose(1, 2)
        V = self.W_V(输入V).view(批, -1, n_heads, d_k).transpose(1, 2)
        # BUG heads_mixed: V = self.W_V(输入V).view(批, n_heads, -1, d_k)
        上下文, 权重 = 缩放点积()(Q, K, V, 掩码.unsqueeze(1).repeat(1, n_heads, 1, 1))
        上下文 = 上下文.transpose(1, 2).reshape(批, -1, n_heads * d_k)
        # BUG heads_mixed: 上下文 = 上下文.reshape(批, -1, n_heads * d_k)
        return self.norm(self.fc(上下文) + 残差), 权重
        # BUG residual_missing: return self.norm(self.fc(上下文)), 权重
        # BUG norm_missing: return self.fc(上下文) + 残差, 权重
        # BUG made_in_forward: return self.norm(nn.Linear(d_k * n_heads, d_model)(上下文) + 残差), 权重


class 前馈(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(d_model, d_ff, kernel_size=1)
        self.conv2 = nn.Conv1d(d_ff, d_model, kernel_size=1)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        残差 = x
        y = nn.ReLU()(self.conv1(x.transpose(1, 2)))
        # BUG activation_missing: y = self.conv1(x.transpose(1, 2))
        y = self.conv2(y).transpose(1, 2)
        return self.norm(y + 残差)
        # BUG residual_missing: return self.norm(y)


class 编码层(nn.Module):
    def __init__(self):
        super().__init__()
        self.自注意力, self.前馈 = 多头(), 前馈()

    def forward(self, x, 掩码):
        x, 权重 = self.自注意力(x, x, x, 掩码)
        return self.前馈(x), 权重


class 解码层(nn.Module):
    def __init__(self):
        super().__init__()
        self.自注意力, self.交叉, self.前馈 = 多头(), 多头(), 前馈()

    def forward(self, y, 记忆, 自掩码, 交叉掩码):
        y, 自权重 = self.自注意力(y, y, y, 自掩码)
        y, 交叉权重 = self.交叉(y, 记忆, 记忆, 交叉掩码)
        # BUG cross_reads_target: y, 交叉权重 = self.交叉(y, y, y, 自掩码)
        # BUG memory_ignored: 交叉权重 = self.交叉(y, 记忆, 记忆, 交叉掩码)[1]
        return self.前馈(y), 自权重, 交叉权重


class Model(nn.Module):
    def __init__(self, learned=False, 层数=2):
        super().__init__()
        self.源嵌入, self.目标嵌入 = nn.Embedding(23, d_model), nn.Embedding(23, d_model)
        表 = np.array([[p / np.power(10000, 2 * (j // 2) / d_model) for j in range(d_model)] for p in range(40)])
        表[:, 0::2], 表[:, 1::2] = np.sin(表[:, 0::2]), np.cos(表[:, 1::2])
        固定 = nn.Embedding.from_pretrained(torch.FloatTensor(表), freeze=True)
        self.位置 = nn.Embedding(40, d_model) if learned else 固定
        self.编码器 = nn.ModuleList([编码层() for _ in range(层数)])
        self.解码器 = nn.ModuleList([解码层() for _ in range(层数)])
        # BUG shared_layers: self.解码器 = nn.ModuleList([解码层()] * 层数)
        self.投影 = nn.Linear(d_model, 23, bias=False)

    def forward(self, 源, 目标):
        位 = lambda s: self.位置(torch.arange(s.size(1)).unsqueeze(0).expand_as(s))
        x = self.源嵌入(源) + 位(源)
        # BUG no_positions: x = self.源嵌入(源)
        掩码, 编码权重 = 填充掩码(源, 源), []
        for 层 in self.编码器:
            x, 权重 = 层(x, 掩码)
            编码权重.append(权重)
        y = self.目标嵌入(目标) + 位(目标)
        # BUG positions_twice: y = self.目标嵌入(目标) + 位(目标); y = y + 位(目标)
        自掩码 = torch.gt(填充掩码(目标, 目标) + 后续掩码(目标), 0)
        交叉掩码 = 填充掩码(目标, 源)
        # BUG cross_mask_wrong: 交叉掩码 = 源.data.eq(0).unsqueeze(1).expand(-1, 目标.size(1), -1) | torch.ones(目标.size(1), 源.size(1)).triu(1).bool()
        for 层 in self.解码器:
            y, _, _ = 层(y, x, 自掩码, 交叉掩码)
        return self.投影(y), 编码权重


def loss(模型, 源, 目标):
    输出, _ = 模型(源, 目标[:, :-1])
    输出 = 输出.view(-1, 输出.size(-1))
    return nn.CrossEntropyLoss(ignore_index=0)(输出, 目标[:, 1:].reshape(-1))
    # BUG target_not_shifted: return nn.CrossEntropyLoss(ignore_index=0)(输出, 目标[:, :-1].reshape(-1))
    # BUG pad_in_loss: return nn.CrossEntropyLoss()(输出, 目标[:, 1:].reshape(-1))
    # BUG softmax_before_cross_entropy: return nn.CrossEntropyLoss(ignore_index=0)(nn.Softmax(dim=-1)(输出), 目标[:, 1:].reshape(-1))


def build(**options):
    return Model(**options)
