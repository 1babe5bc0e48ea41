"""A chat's template rendered in a process of its own, which is stopped when it takes too much.

A template is a stranger's program. The sandbox of transformers keeps it from files, but not from
time (a power of a power) or memory (a letter, ten billion times), and no thread could stop it.
This file is that process, too, run as a script.
"""

import sys
from typing import Any, cast

MOST_MEMORY = 512_000_000
"""Bytes that a template may ask for, where the system can refuse more."""

STARTING = 60.0
"""Seconds for a process to start and to bring the library along, on a busy machine."""


class RenderingError(Exception):
    """A template that was not rendered; the message goes on from its name."""


def rendered(tokenizer: object, turns: list[dict[str, str]], seconds: float, most: int) -> str:
    """A conversation as a template of a tokenizer's writes it.

    Args:
        tokenizer: of transformers.
        turns: of the conversation.
        seconds: that it may take.
        most: characters that it may write.
    Raises:
        RenderingError: it fails, or takes too much.
    """
    import json
    import subprocess

    writer = cast(Any, tokenizer)
    try:
        template = writer.get_chat_template()
    except ValueError as error:
        raise RenderingError(f"cannot be used: {error}") from error
    request = {
        "path": sys.path,
        "seconds": seconds,
        "most": most,
        "template": template,
        "turns": turns,
        "special": {name: str(token) for name, token in writer.special_tokens_map.items()},
    }
    try:
        done = subprocess.run(
            [sys.executable, __file__],
            input=json.dumps(request),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            timeout=STARTING + seconds,
            check=False,
        )
        answer = json.loads(done.stdout or "null")
    except subprocess.TimeoutExpired:
        answer = None
    if answer is None:
        raise RenderingError(f"took longer than {seconds:g} seconds")
    if "refused" in answer:
        raise RenderingError(answer["refused"])
    return str(answer["text"])


def main() -> None:
    """Reads what is asked from the standard input, and writes the text, or why there is none."""
    del sys.path[0]  # the folder's modules are called as libraries may be
    import faulthandler
    import json

    request = json.load(sys.stdin)
    sys.path[:] = request["path"]
    from transformers.utils import chat_template_utils

    render: Any = chat_template_utils.render_jinja_template  # pyright: ignore[reportUnknownVariableType]
    _limit_memory()
    # Beside the interpreter, which one long multiplication keeps from all else.
    faulthandler.dump_traceback_later(request["seconds"], exit=True)
    try:
        texts, _ = render(
            conversations=[request["turns"]],
            chat_template=request["template"],
            add_generation_prompt=True,
            **request["special"],
        )
        (text,) = texts
        if len(text) > request["most"]:
            answer = {"refused": f"writes {len(text)} characters, more than {request['most']}"}
        else:
            answer = {"text": text}
    except MemoryError:
        answer = {"refused": f"asks for more than {MOST_MEMORY // 10**6} MB of memory"}
    except Exception as error:
        answer = {"refused": f"cannot be used: {error}"}
    sys.stdout.write(json.dumps(answer))


def _limit_memory() -> None:
    try:
        import resource
        from pathlib import Path

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        size = pages * resource.getpagesize() + MOST_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    except (ImportError, OSError, ValueError):
        return  # not on Linux: what it asks for it can have, for as long as it may take


if __name__ == "__main__":
    main()
