"""What is kept is bounded in bytes, and by its owner."""

from transformer.serving.sharing.kept import OVERHEAD, Kept


def test_bytes_are_counted_and_what_was_used_longest_ago_goes() -> None:
    kept = Kept[str, bytes](3 * (OVERHEAD + 100))
    for key in "abc":
        kept.put(key, bytes(100))
    kept.get("a")
    kept.put("d", bytes(150))
    assert [key for key in "abcd" if kept.get(key) is not None] == ["a", "d"]
    assert kept.size == 2 * OVERHEAD + 250
    kept.put("d", bytes(50))
    assert kept.size == 2 * OVERHEAD + 150
    kept.put("e", bytes(100_000))
    assert (len(kept), kept.size) == (0, 0), "more than fits is not kept"


def test_an_owner_pushes_out_what_is_their_own_alone() -> None:
    kept = Kept[str, bytes](100_000, share=3)
    kept.put("theirs", b"x", "other")
    for key in "abcde":
        kept.put(key, b"x", "one")
    assert [key for key in ("theirs", *"abcde") if kept.get(key)] == ["theirs", *"cde"]
    kept.put("e", b"y", "one")
    assert len(kept) == 4, "the same again takes nobody's place"
