"""The command: `python app.py`, or `headlight` where it is installed."""

import argparse
import os
import signal
import sys
from importlib.util import find_spec
from threading import Event, Thread
from types import FrameType

from .page import demo, launch, service
from .ports import FIRST, free_port

DRAIN_SECONDS = 10
"""How long a server that was told to stop goes on with what it has begun."""

WAKE_SECONDS = 1
"""How often a server that nobody stops looks whether someone has."""

MOST_REPLICAS = 100
"""Each takes half a gigabyte."""


def main(arguments: list[str] | None = None) -> int:
    """Serves the page until someone stops it, and returns the exit status.

    Raises:
        SystemExit: 2, after a sentence, for what the user can put right; 0 after `--help`.
    """
    parser = _parser()
    args = parser.parse_args(arguments)
    port = _choose_port(parser, args.host, args.port)
    if args.replicas > 1:
        if find_spec("ray") is None:
            parser.error('--replicas needs Ray Serve: pip install "ray[serve]"')
        from . import replicas

        replicas.start(args.host, port, args.replicas)
        _wait_for(_stop_signal())  # after Ray has set its own
        replicas.end()
        return 0
    stop = _stop_signal()
    launch(
        server_name=args.host,
        server_port=port,
        inbrowser=not args.no_browser and "SPACE_ID" not in os.environ,
        prevent_thread_lock=True,
    )
    Thread(target=service.warm_up, daemon=True).start()
    _wait_for(stop)
    _drain()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="headlight", description="Opens Headlight's page.")
    parser.add_argument(
        "--host",
        default=os.environ.get("GRADIO_SERVER_NAME", "127.0.0.1"),
        help="address to serve at; 0.0.0.0 lets other machines in [%(default)s]",
    )
    parser.add_argument(
        "--port",
        type=_port,
        default=os.environ.get("GRADIO_SERVER_PORT"),
        help=f"port to serve at [the first free one from {FIRST}]",
    )
    parser.add_argument(
        "--replicas",
        type=_count,
        default=1,
        help="processes that answer at this address, run by Ray Serve [%(default)s]",
    )
    parser.add_argument("--no-browser", action="store_true", help="open no browser")
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 2**16:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: a number from 1 to 65535")
    return int(text)


def _count(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= MOST_REPLICAS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {MOST_REPLICAS}")
    return int(text)


def _choose_port(parser: argparse.ArgumentParser, host: str, asked: int | None) -> int:
    wanted = asked or FIRST
    port = free_port(host, wanted)
    if port is None:
        parser.error(f"cannot serve at {host}, port {wanted}: no address of this machine")
    if port == wanted:
        return port
    sentence = f"port {wanted} is busy; the next free one is {port}"
    if asked:
        parser.error(f"{sentence}: --port {port}")
    print(sentence, file=sys.stderr)
    return port


def _stop_signal() -> Event:
    """Set once someone wants the server to end."""
    stop = Event()

    def handle(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handle)
    return stop


def _wait_for(stop: Event) -> None:
    # A system may hand a signal to any thread; its handler runs once this one, the main one, wakes.
    while not stop.wait(WAKE_SECONDS):
        pass


def _drain() -> None:
    """Lets nobody new in, and waits for the answers that are under way."""
    demo.app.stop_event.set()  # ends the pages' heartbeats, which never end by themselves
    demo.server.should_exit = True
    demo.server.thread.join(DRAIN_SECONDS)
    service.close()


if __name__ == "__main__":
    sys.exit(main())
