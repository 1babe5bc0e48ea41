"""A model's folder that lies is refused as the server refuses it, before memory is taken for it."""

import json
import random
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.checkpoint.damage import BROKEN, BROKEN_SHARDS
from tests.engine.engine import Engine
from tests.tiny import tiny_checkpoint
from transformer import HeadlightError, Tokenizer, Translator, checkpoint
from transformer.checkpoint import CONFIG, TOKENIZER
from transformer.checkpoint.checksums import FILES
from transformer.checkpoint.weights import INDEX, WEIGHTS

SEED, TRIES = 29, 60
"""Of each file: some thousands, with other seeds, were tried once."""

Header = dict[str, Any]
ODD = (
    *(None, True, -1, 0, 3, 2**31, 2**53, 2**63, 1e300, 0.5, "", "F64", "I32", "F32", "BF16"),
    *([], [0], [-1], [2**40, 2**40], ["16"], [[1]], {}, {"toString": 0, "valueOf": 0}),
)


@pytest.fixture(scope="module")
def whole(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model in one file, which nobody has written the checksums of."""
    folder = tmp_path_factory.mktemp("whole") / "tiny"
    checkpoint.save(folder, tiny_checkpoint(tokenizer))
    (folder / FILES).unlink()
    return folder


@pytest.fixture(scope="module")
def sharded(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same in shards."""
    folder = tmp_path_factory.mktemp("sharded") / "tiny"
    checkpoint.save(folder, tiny_checkpoint(tokenizer), shard_bytes=9000)
    (folder / FILES).unlink()
    return folder


def blamed(folder: Path) -> str | None:
    """The file that the server names; None if it reads the model."""
    try:
        Translator(checkpoint.load(folder))
    except HeadlightError as error:
        return str(error.details["file"])
    return None


def refused(engine: Engine, folder: Path) -> str | None:
    """The file that the engine names."""
    answer = engine.ask({"ask": "attempt", "folder": str(folder)})
    if "error" not in answer or answer["error"]["code"] != "broken_checkpoint":
        return None
    assert answer["taken"] < 5_000_000
    return answer["error"]["details"]["file"]


@pytest.mark.parametrize(
    ("of", "damage"),
    [
        *(("whole", damage) for _, damage, *_ in BROKEN),
        *(("sharded", damage) for _, damage, *_ in BROKEN_SHARDS),
    ],
    ids=[row[0] for row in (*BROKEN, *BROKEN_SHARDS)],
)
def test_both_blame_the_same_file(
    request: pytest.FixtureRequest,
    engine: Engine,
    tmp_path: Path,
    of: str,
    damage: Callable[[Path], object],
) -> None:
    folder = shutil.copytree(request.getfixturevalue(of), tmp_path / "broken")
    damage(folder)
    file = blamed(folder)
    assert file
    assert refused(engine, folder) == file


def odd(draw: random.Random, value: Any) -> Any:
    """A value in place of this one: another of its kind, or of none."""
    if isinstance(value, list) and value and draw.random() < 0.6:
        at = draw.randrange(len(value))
        one = value[at]
        near = one + draw.choice([-16, -2, -1, 1, 2, 16]) if isinstance(one, int) else None
        return [*value[:at], near if draw.random() < 0.5 else draw.choice(ODD), *value[at + 1 :]]
    return draw.choice(ODD)


def edited(draw: random.Random, content: Header) -> Header:
    """An object of JSON, one of whose values lies."""
    content = json.loads(json.dumps(content))
    inner = content
    while True:
        name = draw.choice([*inner])
        if not isinstance(inner[name], dict) or not inner[name] or draw.random() < 0.1:
            break
        inner = inner[name]
    match draw.randrange(6):
        case 0:
            del inner[name]
        case 1:
            inner[draw.choice(["__proto__", "toString", "", "é", name + "s"])] = inner[name]
        case 2:
            inner[name] = inner[draw.choice([*inner])]
        case _:
            inner[name] = odd(draw, inner[name])
    return content


def flipped(draw: random.Random, content: bytes) -> bytes:
    """Bytes of which some are others, too many or missing."""
    match draw.randrange(4):
        case 0:
            return content[: draw.randrange(len(content))]
        case 1:
            return content + bytes(draw.randrange(1, 40))
        case _:
            changed = bytearray(content)
            for _ in range(draw.choice([1, 1, 4, 64])):
                changed[draw.randrange(len(changed))] = draw.randrange(256)
            return bytes(changed)


def lying_weights(draw: random.Random, content: bytes) -> bytes:
    """A safetensors file whose header says something else than what is there."""
    (length,) = struct.unpack("<Q", content[:8])
    header, data = content[8 : 8 + length], content[8 + length :]
    match draw.randrange(5):
        case 0:
            claim = draw.choice(
                [0, 1, length - 1, length + 1, len(content), 2**32, 2**63, 2**64 - 1]
            )
            return struct.pack("<Q", claim) + header + data
        case 1:
            header = flipped(draw, header)
        case _:
            header = json.dumps(edited(draw, json.loads(header))).encode()
    if draw.random() < 0.2:
        data = flipped(draw, data)
    return struct.pack("<Q", len(header)) + header + data


def lying_json(draw: random.Random, content: bytes) -> bytes:
    """An object whose values lie, but for what people read."""
    if draw.random() < 0.3:
        return content[: draw.randrange(len(content))]
    payload = json.loads(content)
    for name in ("longest_target", "ends_longest"):  # imports' alone, which no site has
        payload.get("model", {}).pop(name, None)
    return json.dumps(
        {**edited(draw, {**payload, "card": {}}), "card": payload.get("card")}
    ).encode()


@pytest.mark.parametrize(
    ("of", "name", "lie"),
    [
        ("whole", WEIGHTS, lying_weights),
        ("sharded", "model-00001-of-*", lying_weights),
        ("whole", CONFIG, lying_json),
        ("sharded", INDEX, lying_json),
    ],
)
def test_lies_are_found_by_both(
    request: pytest.FixtureRequest,
    engine: Engine,
    tmp_path: Path,
    of: str,
    name: str,
    lie: Callable[[random.Random, bytes], bytes],
) -> None:
    folder = shutil.copytree(request.getfixturevalue(of), tmp_path / "lying")
    [file] = folder.glob(name)
    content, draw = file.read_bytes(), random.Random(SEED)
    for number in range(TRIES):
        file.write_bytes(lie(draw, content))
        assert refused(engine, folder) == blamed(folder), number


@pytest.mark.parametrize(("name", "value"), [("longest_target", 9), ("ends_longest", True)])
def test_what_imports_alone_have_is_refused_by_the_engine(
    engine: Engine, whole: Path, tmp_path: Path, name: str, value: object
) -> None:
    folder = shutil.copytree(whole, tmp_path / "imported")
    content = json.loads((folder / CONFIG).read_bytes())
    assert refused(engine, folder) is None
    (folder / CONFIG).write_text(
        json.dumps({**content, "model": {**content["model"], name: value}})
    )
    assert refused(engine, folder) == CONFIG


def test_a_tokenizer_that_lies_is_read_or_refused(
    engine: Engine, whole: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(whole, tmp_path / "lying")
    content, draw = (folder / TOKENIZER).read_bytes(), random.Random(SEED)
    for _ in range(TRIES):
        (folder / TOKENIZER).write_bytes(flipped(draw, content))
        assert refused(engine, folder) in (None, TOKENIZER)
