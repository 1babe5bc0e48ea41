"""What programs ask: `gradio_client`, plain HTTP, and language models through MCP.

docs/programs.md describes it. Nothing here is queued, so that any replica can answer.
"""

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

from transformer.ask.options import Sent
from transformer.checkpoint import DEFAULT_MODEL
from transformer.errors import HeadlightError
from transformer.serving import Service, tools
from transformer.serving.sharing.client import NOBODY, Client
from transformer.serving.wire.requests import TRACE, read_trace_asked
from transformer.trace.kinds import Kind
from transformer.trace.trace import AttentionTrace

from .gradio_alone import gr
from .plain_logs import keep_plain

Result = TypeVar("Result")

service = Service()

asking: ContextVar[Client] = ContextVar("asking", default=NOBODY)
"""The client of the call that is under way."""


async def trace(
    source: str,
    model: str = DEFAULT_MODEL,
    prefix: list[int] | None = None,
    sampling: dict[str, Any] | None = None,
    interventions: list[str] | None = None,
) -> dict[str, Any]:
    """Translate a sentence and return every attention weight that the translation was made of.

    Args:
        source: the sentence, in the model's source language; a decoder-only model continues it.
        model: the name of an installed model, such as "en-zh".
        prefix: ids of target tokens that the translation is made to begin with, or null.
        sampling: {"temperature", "top_k", "seed", "top_p"}, or null for greedy decoding.
        interventions: changes to heads, such as "cross.L2H4=zero" or "cross@4=aim:5" (step 4
            looks at source token 5 alone), or null.
    Returns:
        The trace as JSON ("headlight-trace", version 1): tokens, candidates of every step, and
        the weights [layer, head, query, key] as base64 of little-endian float32.
    Raises:
        gr.Error: no such model, or a source that it cannot translate.
    """
    parts = {"prefix": prefix, "sampling": sampling, "interventions": interventions}
    return await _say(source, model, AttentionTrace.to_dict, **parts)


async def translate(source: str, model: str = DEFAULT_MODEL) -> str:
    """Translate a sentence with a small Transformer.

    Args:
        source: the sentence, in the model's source language; a decoder-only model continues it.
        model: the name of an installed model, such as "en-zh" (English to Chinese) or "zh-en".
    Returns:
        The translation.
    """
    return await _say(source, model, lambda trace: trace.translation)


async def trace_summary(source: str, model: str = DEFAULT_MODEL) -> dict[str, Any]:
    """Translate a sentence and say, step by step, what was read, predicted and looked at.

    Each step names the token read, the token predicted with its probability, and the token that
    the representative cross-attention head attends to most in that row.

    Args:
        source: the sentence, in the model's source language; a decoder-only model continues it.
        model: the name of an installed model, such as "en-zh" (English to Chinese) or "zh-en".
    Returns:
        The translation, the most representative head of each kind with its role, and the steps.
    """
    return await _say(source, model, tools.trace_summary)


async def top_heads(
    source: str, model: str = DEFAULT_MODEL, kind: Kind = "cross", count: int = 5
) -> list[dict[str, Any]]:
    """List the most confident attention heads while a sentence is translated.

    Confidence is a row's largest weight, mean over rows, that on </s> left out. A head is called
    L2H4: layer 2, head 4.

    Args:
        source: the sentence, in the model's source language; a decoder-only model continues it.
        model: the name of an installed model, such as "en-zh" (English to Chinese) or "zh-en".
        kind: "encoder_self", "decoder_self" or "cross".
        count: how many heads, from 1 to 20.
    Returns:
        Each head's name, confidence, what it would be by chance, and its role.
    """
    return await _say(source, model, lambda trace: tools.top_heads(trace, kind, count))


async def align(source: str, model: str = DEFAULT_MODEL, head: str = "") -> dict[str, Any]:
    """Link each word of a translation to the source word that an attention head looks at most.

    Args:
        source: the sentence, in the model's source language.
        model: the name of an installed encoder-decoder, such as "en-zh" or "zh-en".
        head: a cross-attention head such as "L1H2"; empty for the one that aligns best.
    Returns:
        The head, the translation, and the links: target word, source word, weight.
    """
    return await _say(source, model, lambda trace: tools.align(trace, head or None))


TOOLS = (translate, trace_summary, top_heads, align)
PROGRAMS = (*TOOLS, trace)
NAMES = tuple(program.__name__ for program in PROGRAMS)


def offer() -> None:
    """Adds all of them to the page that is being built."""
    for program in PROGRAMS:
        gr.api(program, queue=False)


def leave_tools_only(demo: gr.Blocks) -> None:
    """Takes what is no tool from a launched page's MCP: a trace would fill a model's memory."""
    server = demo.mcp_server_obj
    if server:
        keep_plain("mcp")  # it logs the names that strangers call
        endpoints = {f"/{tool.__name__}" for tool in TOOLS}
        named = server.tool_to_endpoint.items()
        server.tool_to_endpoint = {name: at for name, at in named if at in endpoints}


async def _say(
    source: object, model: object, say: Callable[[AttentionTrace], Result], **parts: object
) -> Result:
    """What is said of a trace; what strangers send may be of any type."""
    try:
        sent = {"source": source, "model": model, **parts}
        if isinstance(model, str) and model in service.guests:
            trace = await service.guests.traced(model, sent, asking.get())
        else:
            question = read_trace_asked(Sent(sent, TRACE))
            trace = (await service.traces.answer(question, asking.get())).trace
        return await service.at_desk(lambda: say(trace), asking.get())
    except HeadlightError as error:
        raise gr.Error(str(error), print_exception=False) from error
    except asyncio.CancelledError as left:
        # Gradio would print where, for each who leaves.
        raise gr.Error("Who asked has left.", print_exception=False) from left
