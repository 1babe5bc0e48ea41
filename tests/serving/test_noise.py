"""The toy that begins at noise learns once, for all who watch."""

from typing import Any

import numpy as np
import pytest

from tests.serving.asking import ask, run
from transformer.serving import Service, noise
from transformer.serving.noise import Noise
from transformer.serving.sharing.batcher import Batcher
from transformer.trace.kinds import KINDS
from transformer.trace.packing import PACKED
from transformer.trace.roles import role_cells
from transformer.training.from_noise import Moment, from_noise
from transformer.training.toys import TOYS


async def news(shared: Noise, after: int, seconds: float = 5) -> dict[str, Any]:
    await shared.come(after, seconds)
    return shared.payload(after)


def test_it_learns_from_noise_the_same_each_time() -> None:
    one = [moment for moment in from_noise(90) if moment]
    assert [moment.step for moment in one][:3] == [0, 1, 2]
    assert one[-1].step == 90
    assert one[0].loss > 3, "ln 26 is 3.26"
    assert one[-1].loss < one[0].loss - 0.8
    for kind in KINDS:
        assert one[0].weights[kind].shape[:2] == (2, 4)
        np.testing.assert_allclose(one[-1].weights[kind].sum(-1), 1, atol=1e-5)
    *_, again = (moment for moment in from_noise(12) if moment)
    *_, other = (moment for moment in from_noise(12) if moment)
    assert (again.loss, again.output) == (other.loss, other.output)


@pytest.mark.slow  # two trainings, of which nothing but the toys and the loop decides
def test_another_toy_learns_to_repeat_and_one_layer_does_not() -> None:
    *_, two = (moment for moment in from_noise(420, TOYS["repeat"]) if moment)
    *_, one = (moment for moment in from_noise(420, TOYS["one_layer"]) if moment)
    assert two.output == ("planet" * 3)[:15]
    assert two.right > 0.7
    # A head that looks at the letter before, and one that looks up what came next before.
    weights = two.weights["decoder_self"]
    assert weights.shape == (2, 1, 16, 16)
    read = ["<s>", *two.output]
    before, after = (
        role_cells("decoder_self", 16, read)[role] for role in ("previous", "induction")
    )
    rows = after.any(-1)
    first_time = range(2, 7)  # Only there anybody will ask which letter came before.
    assert (weights[0, 0] * before).sum(-1)[first_time].mean() > 0.4
    assert (weights[1, 0] * after).sum(-1)[rows].mean() > 0.6
    # Beside it, the same with one layer.
    assert one.right == 0
    assert one.loss > two.loss + 1


def test_who_watches_is_told_what_is_new(service: Service) -> None:
    first = ask(service, {"ask": "noise", "after": 0})["noise"]
    assert first["moments"][0]["step"] == 0
    assert not first["done"]
    count = len(first["moments"])
    more = ask(service, {"ask": "noise", "after": count})["noise"]
    assert more["moments"][0]["step"] > first["moments"][-1]["step"]
    [pair] = first["pairs"]
    assert pair["tgt_out"] == [*reversed(pair["src"][:-1]), "</s>"]
    packed: dict[str, Any] = first["weights"]["cross"]
    size = len(pair["tgt_in"])
    assert packed["shape"] == [count, 2, 4, size, len(pair["src"])]
    assert PACKED[packed["dtype"]] == np.uint8
    repeating = ask(service, {"ask": "noise", "after": 0, "toy": "repeat"})["noise"]
    assert repeating["moments"][0]["step"] == 0
    [pair] = repeating["pairs"]
    assert pair["src"] == []
    assert pair["tgt_out"] == [*"planetplanetpla", "</s>"]
    # Beside it the same with one layer.
    alone = ask(service, {"ask": "noise", "after": 0, "toy": "one_layer"})["noise"]
    assert alone["pairs"] == [pair]
    assert alone["weights"]["decoder_self"]["shape"][1:3] == [1, 1]
    assert repeating["weights"]["decoder_self"]["shape"][1:3] == [2, 1]
    assert (
        ask(service, {"ask": "noise", "after": 0, "toy": "sort"})["error"]["code"] == "bad_request"
    )
    service.close()
    for after in (-1, "0", None, 10**6):
        assert ask(service, {"ask": "noise", "after": after})["error"]["code"] == "bad_request"


def test_one_run_for_all_and_it_ends() -> None:
    begun = 0

    def toy() -> Any:
        nonlocal begun
        begun += 1
        for step in range(3):
            yield Moment(step, 1.0, "", 0.0, {"cross": np.zeros((1, 1, 2, 2), np.float32)})
            yield None

    batcher = Batcher[str, str, str](lambda _, items: [*items])
    shared = Noise(batcher.run, toy())
    seen: list[int] = []
    while not (reply := run(news(shared, len(seen), 30)))["done"]:
        seen += [moment["step"] for moment in reply["moments"]]
    seen += [moment["step"] for moment in reply["moments"]]
    assert seen == [0, 1, 2]
    assert [moment["step"] for moment in run(news(shared, 1))["moments"]] == [1, 2]
    assert run(news(shared, 3))["weights"] == {}
    assert begun == 1
    batcher.close()


def test_without_anybody_it_rests_and_goes_on(monkeypatch: Any) -> None:
    batcher = Batcher[str, str, str](lambda _, items: [*items])
    monkeypatch.setattr(noise, "ASK_SECONDS", 0)
    resting = Noise(batcher.run, from_noise(4))
    assert run(news(resting, 0, 0.2))["moments"] == []
    monkeypatch.setattr(noise, "ASK_SECONDS", 60)
    seen = 0
    while not (reply := run(news(resting, seen, 30)))["done"]:
        seen += len(reply["moments"])
    assert seen + len(reply["moments"]) == 5
    batcher.close()
