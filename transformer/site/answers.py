"""What is asked most, answered in advance by the server's own code."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .. import checkpoint
from ..checkpoint import DEFAULT_MODEL
from ..inside import ANALYSES
from ..serving import Service

SAME_FOR_ALL = [name for name, each in ANALYSES.items() if "advance" in each.by]

NEEDS_A_SERVER = [
    *("bertviz", "teach", "npz", "guests"),
    *(name for name, each in ANALYSES.items() if "engine" not in each.by),
]
"""What the page cannot do alone, and says so before it is asked."""


class Answers:
    """Asks the server, and keeps what it says under the paths that `site.json` tells.

    Args:
        models: names of the models that come along; a name with an underscore is asked nothing.
    """

    def __init__(self, models: Sequence[str]) -> None:
        self._service = Service()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="answers")
        self.files: dict[str, bytes] = {}
        self.listing: dict[str, Any] = {"trace": {}, "card": {}, "history": {}, "inside": {}}
        names = [name for name in models if not name.startswith("_")]
        try:
            self._first(names)
            for name in names:
                self._of_model(name)
        finally:
            self._service.close()
            self._thread.shutdown()

    def _first(self, names: Sequence[str]) -> None:
        """The page's first answer, of these models alone."""
        first = json.loads(self._ask({"ask": "page"}))
        first["models"] = [each for each in first["models"] if each["name"] in names]
        first["lacking"] = NEEDS_A_SERVER
        if first["model"] not in names:
            named = DEFAULT_MODEL if DEFAULT_MODEL in names else first["models"][0]["name"]
            request = {"ask": "trace", "model": named, "source": next(_examples(named), "")}
            first = {**first, "model": named, **json.loads(self._ask(request))}
        self.files["first.json"] = json.dumps(first, separators=(",", ":")).encode()

    def _of_model(self, name: str) -> None:
        examples = [*_examples(name)]
        request = {"model": name, "source": next(iter(examples), "")}
        self.listing["trace"][name] = {
            source: self._keep(
                f"{name}/trace-{i}", {"ask": "trace", "model": name, "source": source}
            )
            for i, source in enumerate(examples)
        }
        if (card := json.loads(self._ask({"ask": "card", "model": name}))).get("card"):
            self.listing["card"][name] = self._put(f"{name}/card", json.dumps(card).encode())
        self.listing["history"][name] = [*self._history(name)]
        for analysis in SAME_FOR_ALL if examples else ():
            path = self._keep(f"{name}/{analysis}", {"ask": "inside", "name": analysis, **request})
            self.listing["inside"].setdefault(analysis, {})[name] = path

    def _history(self, name: str) -> Iterator[str]:
        """Histories of each pair; or, of a model that has none, what there is to say of that."""
        pair, pairs = 0, 1
        while pair < pairs:
            answer = self._ask({"ask": "history", "model": name, "pair": pair})
            pairs = len(json.loads(answer).get("history", {}).get("pairs", [0]))
            yield self._put(f"{name}/history-{pair}", answer)
            pair += 1

    def _keep(self, path: str, request: dict[str, Any]) -> str:
        return self._put(path, self._ask(request))

    def _put(self, path: str, answer: bytes) -> str:
        self.files[f"answers/{path}.json"] = answer
        return f"answers/{path}.json"

    def _ask(self, request: dict[str, Any]) -> bytes:
        # In a thread of its own: a notebook has a loop running in this one.
        return self._thread.submit(asyncio.run, self._service.answer(request)).result()


def _examples(name: str) -> Iterator[str]:
    yield from checkpoint.read_card(checkpoint.find(name)).get("examples", [])
