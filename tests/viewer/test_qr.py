"""The QR codes of the page, read by ZXing, which many cameras use."""

from typing import Any

import numpy as np
import pytest

from tests.node import run_module

SHAPES = 'import { qrModules } from "./assets/kit/qr/modules.js";'
READ = f"""{SHAPES}
import {{ readFileSync }} from "node:fs";
const bits = (text) => qrModules(text)?.map((row) => row.map(Number)) ?? null;
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf-8")).map(bits)));
"""

LONG = "http://192.168.1.20:7860/?room=BCDFG&source=" + "昨天".encode().hex("%") * 9
ADDRESSES = [
    "http://10.0.0.7/?room=BCDFG",
    "http://192.168.1.20:7860/?room=BCDFG",
    "http://192.168.100.200:65535/?room=ZXWVT",
    "https://headlight.example.org/?room=KLMNP",
    "https://huggingface.co/spaces/someone/headlight?room=QRSTV",
    "http://[2001:db8:85a3::8a2e:370:7334]:7860/?room=BCDFG",
    "https://hub.example.org/user/ann/proxy/7860/?room=JKLMN",
    "https://schule.example/über/注意力/?room=PQRST",
    "file:///home/ann/Downloads/headlight%20en-zh.html",
    f"{LONG:x<300}",
]


def read(modules: list[list[int]]) -> str:
    """What a camera reads: four pixels a module, a margin of four modules."""
    zxing: Any = pytest.importorskip("zxingcpp")
    dark = np.pad(np.array(modules, dtype=np.uint8), 4)
    [barcode] = zxing.read_barcodes(255 * (1 - dark.repeat(4, 0).repeat(4, 1)))
    return barcode.text


def test_ten_addresses_are_read_as_they_were_written() -> None:
    assert len(ADDRESSES[-1]) == 300
    for modules, address in zip(run_module(READ, ADDRESSES), ADDRESSES, strict=True):
        assert read(modules) == address


def test_every_version_is_read_and_past_the_last_there_is_none() -> None:
    lengths = [1, *range(60, 2_331, 97), 2_331]
    texts = [f"{'abc/?=&.' * 300:.{length}}" for length in lengths]
    *codes, none = run_module(READ, [*texts, "x" * 2_332])
    assert none is None
    assert len(codes[0]) == 21
    assert len(codes[-1]) == 177
    assert [read(modules) for modules in codes] == texts


def test_what_is_hidden_of_a_code_is_mended() -> None:
    [modules] = run_module(READ, ["https://headlight.example.org/?room=KLMNP"])
    for y in range(12, 15):
        for x in range(12, 15):
            modules[y][x] ^= 1
    assert read(modules) == "https://headlight.example.org/?room=KLMNP"
