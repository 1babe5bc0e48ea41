"""Models whose weights are about to be read."""

import subprocess
import sys

from tests.tiny import tiny_config
from transformer import build_model
from transformer.model.unfilled import Outlined


def test_an_outline_has_the_shapes_of_the_model_and_no_memory() -> None:
    config = tiny_config()
    with Outlined():
        outline = build_model(config)
    whole = dict(build_model(config).named_parameters())
    shapes = {name: parameter.shape for name, parameter in outline.named_parameters()}
    assert shapes == {name: parameter.shape for name, parameter in whole.items()}
    assert all(parameter.is_meta for parameter in outline.parameters())


def test_reading_a_model_imports_no_compiler() -> None:
    script = "import sys; from transformer import Translator; Translator.load('reverse')"
    script += "; sys.exit('torch._dynamo' in sys.modules or 'sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 0
