"""Whatever is sent, what comes back is an answer or a plain refusal."""

from dataclasses import asdict
from typing import Any

import pytest

from tests.serving.asking import ask
from tests.serving.conftest import LIMIT
from transformer import Translator
from transformer.serving import Service
from transformer.trace.sampling import Sampling


@pytest.mark.parametrize(
    "request_data",
    [
        *(None, 3, "text", [], {}, {"ask": "trace"}, {"source": "x", "model": "en-zh"}),
        {"ask": "trace", "source": 3, "model": "en-zh"},
        {"ask": "trace", "source": "x", "model": ["en-zh"]},
        *(
            {"ask": "trace", "source": "x", "model": "en-zh", "prefix": prefix}
            for prefix in ("5", 5, {}, ["5"], [5.0], [True], [-1], [2**31], [5] * 2_001)
        ),
        *(
            {"ask": "trace", "source": "x", "model": "en-zh", "sampling": sampling}
            for sampling in (
                *("", 1, [], {}, {"temperature": 1}, {"temperature": 1, "top_k": 0}),
                {"temperature": "1", "top_k": 0, "seed": 0},
                {"temperature": 1, "top_k": 0.5, "seed": 0},
                {"temperature": 1, "top_k": 0, "seed": True},
                {"temperature": 1, "top_k": 0, "seed": 0, "beams": 4},
            )
        ),
    ],
)
def test_a_request_of_another_form_is_refused(service: Service, request_data: object) -> None:
    assert ask(service, request_data) == {"error": {"code": "bad_request", "details": {}}}


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"prefix": [2**31 - 1]}, "bad_prefix"),
        ({"prefix": [5] * (LIMIT + 1)}, "prefix_too_long"),
        *(
            ({"sampling": {"temperature": 1, "top_k": 0, "seed": 0} | change}, "bad_sampling")
            for change in (
                *({"temperature": 0}, {"temperature": -1}, {"temperature": 10**400}),
                *({"temperature": float("nan")}, {"top_k": -1}, {"seed": -1}, {"seed": 2**63}),
            )
        ),
    ],
)
def test_options_out_of_range_are_refused(
    service: Service, options: dict[str, Any], code: str
) -> None:
    request = {"ask": "trace", "source": "Good morning", "model": "en-zh"}
    assert ask(service, request | options)["error"]["code"] == code


def test_options_in_range_are_used(service: Service, translator: Translator) -> None:
    request = {"ask": "trace", "source": "Good morning", "model": "en-zh", "prefix": [7, 8]}
    sampling = Sampling(0.5, top_k=10**30, seed=2**63 - 1)
    trace = ask(service, request | {"sampling": asdict(sampling)})["trace"]
    expected = translator.trace("Good morning", prefix=[7, 8], sampling=sampling)
    assert tuple(trace["tgt_ids"]) == expected.tgt_ids
    assert (trace["prefix_length"], trace["sampling"]) == (2, asdict(sampling))


@pytest.mark.parametrize("model", ["", "nowhere", "../en-zh", "/etc", "x" * 10_000])
def test_only_installed_models_are_loaded(service: Service, model: str) -> None:
    error = ask(service, {"ask": "trace", "source": "Good morning", "model": model})["error"]
    assert error == {"code": "unknown_model", "details": {"model": model[:80]}}


def test_half_a_surrogate_pair_is_harmless(service: Service) -> None:
    request = {"ask": "trace", "source": "Good \ud800 morning\0", "model": "en-zh"}
    assert "trace" in ask(service, request)
