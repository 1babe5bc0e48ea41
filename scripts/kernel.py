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

OPTIONS = (
    *("--target=wasm32-freestanding", "-msimd128", "-Oz", "-nostdlib"),
    # The memory is the model's: nothing in it is the compiler's own, not even a stack.
    *("-Wl,--no-entry", "-Wl,--import-memory", "-Wl,--strip-all", "-Wl,-z,stack-size=16"),
)

MODULES = {
    "COMPILED": (
        *("-Wl,--export=product", "-Wl,--export=product_of_few", "-Wl,--export=norm"),
        *("-Wl,--export=scores", "-Wl,--export=gather", "-Wl,--export=sum_of_exponentials"),
    ),
    # Not every browser has what multiplies and adds at once.
    "FUSED": ("-Wl,--export=product", "-mrelaxed-simd"),
}
"""By the name under which the engine imports it, each module's own options."""


def source_hash() -> str:
    """The SHA-256 of all that the compiled bytes depend on."""
    own = (option for options in MODULES.values() for option in options)
    inputs = (COMPILER, *OPTIONS, *own, SOURCE.read_text(encoding="utf-8"))
    return hashlib.sha256("\n".join(inputs).encode()).hexdigest()


def compiled(name: str) -> bytes:
    """The source as one of the WebAssembly modules.

    Raises:
        subprocess.CalledProcessError: the compiler is not there, or refuses the source.
    """
    with TemporaryDirectory() as folder:
        module = Path(folder, "kernel.wasm")
        options = (*OPTIONS, *MODULES[name], SOURCE, "-o", module)
        subprocess.run((sys.executable, "-m", "ziglang", "cc", *options), check=True)
        return module.read_bytes()


def text() -> str:
    """The modules as the engine imports them."""
    modules = "".join(
        f'\nexport const {name} =\n  "{base64.b64encode(compiled(name)).decode()}";\n'
        for name in MODULES
    )
    return f"""/** Written by scripts/kernel.py from kernel.c: WebAssembly, in base64. */

/** Of the source, its options and the compiler's release. */
export const SOURCE = "{source_hash()}";
{modules}"""


if __name__ == "__main__":
    COMPILED.write_text(text(), encoding="utf-8")
