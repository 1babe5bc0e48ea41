"""The engine's hot functions for WebAssembly, compiled from C.

    python scripts/kernel.py

writes assets/engine/model/compiled.js. The compiler comes in a wheel, which `make kernel` installs:
another release may write other bytes.
"""

import base64
import hashlib
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = Path(__file__).parents[1] / "assets/engine/model"
SOURCE, COMPILED = FOLDER / "kernel.c", FOLDER / "compiled.js"

COMPILER = (FOLDER.parents[2] / "requirements/kernel.txt").read_text(encoding="utf-8").split()[-1]
"""The distribution and its release, as `ziglang==0.17.1`."""

EXPORTS = ("product", "product_of_few", "norm", "scores", "gather", "sum_of_exponentials")

OPTIONS = (
    *("--target=wasm32-freestanding", "-msimd128", "-O2", "-nostdlib"),
    # The memory is the model's: nothing in it is the compiler's own, not even a stack.
    *("-Wl,--no-entry", "-Wl,--import-memory", "-Wl,--strip-all"),
    *(f"-Wl,--export={name}" for name in EXPORTS),
    "-Wl,-z,stack-size=16",
)


def source_hash() -> str:
    """The SHA-256 of all that the compiled bytes depend on."""
    told = (COMPILER, *OPTIONS, SOURCE.read_text(encoding="utf-8"))
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def compiled() -> bytes:
    """The source as a WebAssembly module.

    Raises:
        subprocess.CalledProcessError: the compiler is not there, or refuses the source.
    """
    with TemporaryDirectory() as folder:
        module = Path(folder, "kernel.wasm")
        command = (sys.executable, "-m", "ziglang", "cc", *OPTIONS, SOURCE, "-o", module)
        subprocess.run(command, check=True)
        return module.read_bytes()


def text_of(module: bytes) -> str:
    """The module as the engine imports it."""
    return f"""/** Written by scripts/kernel.py from kernel.c: WebAssembly, in base64. */

/** Of the source, its options and the compiler's release. */
export const SOURCE = "{source_hash()}";

export const COMPILED =
  "{base64.b64encode(module).decode()}";
"""


if __name__ == "__main__":
    COMPILED.write_text(text_of(compiled()), encoding="utf-8")
