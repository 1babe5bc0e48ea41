"""Text travels by brotli or gzip, compressed once, and means the same."""

import asyncio
import gzip

import brotli
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from headlight import packed
from headlight.packed import Packed, Packer, encoding_for
from headlight.page import ASSETS, SCRIPTS, STYLES
from tests.serving.asking import run

TEXT = "Every weight that is drawn is one that the model computed. " * 800
"""More than the event loop compresses itself."""


async def text(_: Request) -> Response:
    return PlainTextResponse(TEXT)


async def picture(_: Request) -> Response:
    return Response(b"\x89PNG" + b"0" * 5_000, media_type="image/png")


async def file(_: Request) -> Response:
    return PlainTextResponse(TEXT, headers={"Last-Modified": "Fri, 27 Nov 2026 15:11:05 GMT"})


async def answer(_: Request) -> Response:
    return PlainTextResponse(TEXT, headers={"Cache-Control": "no-store"})


@pytest.fixture
def client() -> TestClient:
    routes = [Route("/text", text), Route("/picture", picture), Route("/answer", answer)]
    packer = Packer()
    return TestClient(Starlette(routes=routes, middleware=[Middleware(Packed, packer=packer)]))


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip;q=1.0, br;q=0", "gzip"),
        ("GZIP", "gzip"),
        ("br; q=0.000, gzip; q=0", ""),
        ("*", "br"),
        ("*;q=0", ""),
        ("identity", ""),
        ("", ""),
    ],
)
def test_a_client_gets_the_best_encoding_that_it_takes(accepted: str, encoding: str) -> None:
    assert encoding_for(accepted) == encoding


def test_what_is_sent_says_the_same_and_how_it_is_to_be_read(client: TestClient) -> None:
    for accepted, unpacked in (
        ("br", brotli.decompress),
        ("gzip", gzip.decompress),
        ("identity", bytes),
    ):
        with client.stream("GET", "/text", headers={"Accept-Encoding": accepted}) as got:
            raw = b"".join(got.iter_raw())
        assert unpacked(raw).decode() == TEXT
        assert got.headers.get("content-encoding", "identity") == accepted
        assert got.headers["vary"] == "Accept-Encoding"
        assert int(got.headers["content-length"]) == len(raw)
        assert accepted == "identity" or len(raw) < len(TEXT) / 20


def test_who_has_it_already_is_sent_nothing(client: TestClient) -> None:
    tag = client.get("/text").headers["etag"]
    again = client.get("/text", headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/text", headers={"Accept-Encoding": "gzip"}).headers["etag"] != tag
    assert "etag" not in client.get("/answer").headers, "nobody keeps it"


def test_files_of_the_disk_alone_are_compressed_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page names the host by which it is asked: each client has as many as it likes."""
    seen: list[bool] = []

    async def packed_as(_: object, body: bytes, *__: str, is_file: bool) -> bytes:
        seen.append(is_file)
        return body

    monkeypatch.setattr(Packer, "packed", packed_as)
    app = Packed(Starlette(routes=[Route("/text", text), Route("/file", file)]), Packer())
    for path in ("/text", "/file"):
        TestClient(app, headers={"Accept-Encoding": "identity"}).get(path)
    assert seen == [False, True]


def test_a_picture_stays_as_it_is(client: TestClient) -> None:
    got = client.get("/picture", headers={"Accept-Encoding": "br"})
    assert "content-encoding" not in got.headers
    assert got.content.startswith(b"\x89PNG")


def test_a_class_that_asks_at_once_has_it_compressed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def compress(body: bytes, encoding: str, _: int) -> bytes:
        done.append(encoding)
        return body[:10]

    monkeypatch.setattr(packed, "_compress", compress)
    packer = Packer()

    async def ask() -> list[bytes]:
        body = TEXT.encode()
        first = await asyncio.gather(*(packer.packed(body, "br") for _ in range(60)))
        return [*first, await packer.packed(body, "br")]

    assert {*run(ask())} == {TEXT[:10].encode()}
    assert done == ["br"]


@pytest.mark.parametrize(("encoding", "most"), [("br", 165_000), ("gzip", 205_000)])
def test_a_first_visit_is_light(encoding: str, most: int) -> None:
    """A school's line brings it sixty times: 220 and 250 kB with the page itself and its trace."""
    packer = Packer()
    for texts in sorted((ASSETS / "locales").glob("*.json")):
        bodies = [SCRIPTS["start.js"].encode(), STYLES.encode(), texts.read_bytes()]
        packer.prepare(bodies)
        sent = [run(packer.packed(body, encoding)) for body in bodies]
        over = sum(map(len, sent)) - most
        assert over <= 0, f"{texts.stem}: {over} bytes too many: shorten texts, or bring code later"


@pytest.mark.parametrize("encoding", ["br", "gzip"])
@pytest.mark.parametrize("text", [TEXT, TEXT[:6_000]])
def test_a_file_is_compressed_well_for_those_who_ask_later(encoding: str, text: str) -> None:
    body = "".join(f"{i}: {word}\n" for i, word in enumerate(text.split())).encode()
    packer = Packer()

    async def ask() -> None:
        quick = await packer.packed(body, encoding, is_file=True)
        await asyncio.to_thread(packer._patient.shutdown)
        await asyncio.sleep(0)
        well = await packer.packed(body, encoding, is_file=True)
        assert len(well) < len(quick)
        assert {"br": brotli.decompress, "gzip": gzip.decompress}[encoding](well) == body

    run(ask())


def test_a_file_is_compressed_well_once_whatever_else_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else whoever fetches all there are, again and again, has it done for ever."""
    well: list[bytes] = []

    def compress(body: bytes, encoding: str, quality: int) -> bytes:
        if quality == packed.WELL[encoding]:
            well.append(body)
        return body

    monkeypatch.setattr(packed, "_compress", compress)
    monkeypatch.setattr(packed, "KEPT", 300_000)
    monkeypatch.setattr(packed, "FILES", 600_000)
    monkeypatch.setattr(packed, "WAITING", 200_000)
    bodies = [f"{i}".encode() * 50_000 for i in range(10, 20)]

    async def ask() -> None:
        packer = Packer()
        for body in 5 * bodies:
            await packer.packed(body, "br", is_file=True)
            assert packer._waiting <= 200_000
            while packer._waiting:
                await asyncio.sleep(0)
        assert sum(map(len, packer._prepared.values())) <= 600_000

    run(ask())
    assert len(well) == len({*well}) == 6


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "KEPT", 100_000)
    packer = Packer()

    async def ask() -> None:
        for i in range(10):
            await packer.packed(f"{i}{TEXT}".encode(), "")

    run(ask())
    assert 0 < packer._bodies.size <= 100_000
