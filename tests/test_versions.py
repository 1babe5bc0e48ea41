import re
from importlib.metadata import requires
from pathlib import Path

LOCK = Path(__file__).resolve().parent.parent / "requirements" / "lock.txt"


def test_every_requirement_is_pinned() -> None:
    """What is required but not locked would be installed in any version."""
    locked = set(re.findall(r"^([a-z0-9-]+)==", LOCK.read_text(), re.MULTILINE))
    required = {re.split(r"[^\w-]", line)[0].lower() for line in requires("headlight") or ()}
    assert "torch" in required
    assert required - {"headlight"} <= locked
