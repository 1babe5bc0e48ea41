"""The command: `python app.py`, or `headlight` where it is installed."""

import argparse
import os
import sys
import webbrowser
from importlib.metadata import PackageNotFoundError, version
from threading import Thread

from transformer.printed import print_safely

from .frames import FRAMES, frame_ancestors
from .guests import DTYPE, DTYPES, named_dtype, named_models, open_models, why_not
from .hosts import HOSTS, SERVER_NAME, is_loopback, named_hosts
from .opening import way_in
from .owner import SECRET
from .page import demo, launch, reach, rooms, service
from .ports import FIRST, free_port
from .stopping import Stop
from .teacher import ADDRESS, named_address
from .teacher import SECRET as TEACHER

DRAIN_SECONDS = 10
"""Seconds that a server which was told to stop goes on with what it has begun."""

RAY = "2.60"
"""The release of which `replicas` knows where each of its ports listens."""

MOST_REPLICAS = 100
"""Processes at most, each of which takes half a gigabyte."""


def main(arguments: list[str] | None = None) -> int:
    """Serves the page until someone stops it, and returns the exit status.

    Raises:
        SystemExit: 2, after a sentence, for what the user can put right; 0 after `--help`.
    """
    print_safely()
    parser = _parser()
    args = parser.parse_args(arguments)
    try:
        frame_ancestors(os.environ.get(FRAMES, ""))
        named_hosts(os.environ.get(HOSTS, ""))
        named_address(os.environ.get(ADDRESS, ""))
        models, dtype = named_models(args.models), named_dtype(args.dtype)
        if not (why := why_not(args.replicas)):
            open_models(service, models)
            service.guests.dtype = dtype
        else:
            service.lacking = ("guests",)
            if models:
                print(f"Not opened: {', '.join(models)}; {why}.", flush=True)
    except ValueError as wrong:
        parser.error(str(wrong))
    port = _choose_port(parser, args.host, args.port)
    if args.replicas > 1:
        if not _has_ray():
            parser.error(f'--replicas needs Ray Serve {RAY}: pip install "ray[serve]~={RAY}.0"')
        from . import replicas

        print("With --replicas there are no rooms for a class: one process has them.", flush=True)
        replicas.start(args.host, port, args.replicas)
        Stop().wait()  # after Ray has set its own
        replicas.end()
        return 0
    stop = Stop()
    try:
        _, address, _ = launch(
            server_name=args.host,
            server_port=port,
            inbrowser=False,
            prevent_thread_lock=True,
            quiet=True,
        )
    except OSError:
        # Somebody took it since: another of us that was started at the same moment, say.
        parser.error(f"port {port} is busy")
    if is_loopback(args.host):
        address += f"#owner={SECRET}"
    print(f"Headlight is at {address}", flush=True)
    _tell_class(port)
    Thread(target=service.warm_up, daemon=True).start()
    if args.no_browser or "SPACE_ID" in os.environ:
        stop.wait()
    else:
        with way_in(address) as file:
            if file:
                Thread(target=webbrowser.open, args=(file,), daemon=True).start()
            stop.wait()
    draining = Thread(target=_drain, daemon=True)
    draining.start()
    draining.join(DRAIN_SECONDS)
    # Whatever still computes does so for somebody who has left, or has had these seconds.
    stop.end_at_once()
    return 0


def _tell_class(port: int) -> None:
    """Says where students find the page, and where their teacher does, if others reach it."""
    if (students := reach()) is None:
        return
    for each in students:
        print(f"Students: {each}", flush=True)
    print(f"Teacher: http://localhost:{port}/#teacher={TEACHER}", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="headlight", description="Opens Headlight's page.")
    parser.add_argument(
        "models",
        nargs="*",
        metavar="MODEL",
        help="Hugging Face models to open: names on the Hub (gpt2, gpt2@REVISION), or folders "
        "(./my-bert)",
    )
    parser.add_argument(
        "--host",
        default=os.environ.get(SERVER_NAME, "127.0.0.1"),
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
    parser.add_argument(
        "--dtype",
        choices=DTYPES,
        help=f"what Hugging Face models compute in; auto: as their weights are stored [${DTYPE}, "
        "else auto]",
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


def _has_ray() -> bool:
    try:
        return version("ray").startswith(f"{RAY}.")
    except PackageNotFoundError:
        return False


def _choose_port(parser: argparse.ArgumentParser, host: str, requested_port: int | None) -> int:
    wanted = requested_port or FIRST
    port = free_port(host, wanted)
    if port is None:
        parser.error(f"cannot serve at {host}, port {wanted}: no address of this machine")
    if port == wanted:
        return port
    sentence = f"port {wanted} is busy; the next free one is {port}"
    if requested_port:
        parser.error(f"{sentence}: --port {port}")
    print(sentence, file=sys.stderr)
    return port


def _drain() -> None:
    """Lets nobody new in, and waits for the answers that are under way."""
    rooms.stop()  # pages of a class would listen for ever
    demo.app.stop_event.set()  # ends the pages' heartbeats, which never end by themselves
    demo.server.should_exit = True
    demo.server.thread.join()
    service.close()


if __name__ == "__main__":
    sys.exit(main())
