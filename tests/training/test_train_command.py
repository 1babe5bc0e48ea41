import ctypes
import subprocess
import sys

import pytest

FAULTS = """
import ctypes, resource
from transformer.training.train_command import keep_freed_memory
{first}
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    ctypes.create_string_buffer(80_000_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
print([faults() for _ in range(6)][-1])
"""


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "mallopt"), reason="needs glibc"
)
def test_memory_of_a_freed_tensor_serves_the_next_one() -> None:
    def faults(first: str) -> int:
        code = FAULTS.format(first=first)
        return int(subprocess.check_output([sys.executable, "-c", code], text=True))

    assert faults("keep_freed_memory()") * 10 < faults("")
