"""The garbage collector goes round without what was imported."""

import subprocess
import sys

import pytest

# In a process of its own: these tests take what they imported out of the rounds themselves.
COUNTED = """import gc
from headlight.page import replica
replica()
print(gc.get_freeze_count(), len(gc.get_objects()))"""


@pytest.mark.slow
def test_what_was_imported_is_in_none_of_its_rounds() -> None:
    run = subprocess.run(
        [sys.executable, "-c", COUNTED], check=True, capture_output=True, text=True, timeout=60
    )
    left_alone, looked_at = map(int, run.stdout.split())
    assert left_alone > 200_000
    assert looked_at < left_alone / 10
