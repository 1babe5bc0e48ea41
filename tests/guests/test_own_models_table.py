"""docs/own-models.md tells which question can be asked of which family, as it is."""

from benchmarks.guests_table import DOCUMENT, MARK, table


def test_the_table_is_what_can_be_asked() -> None:
    written = DOCUMENT.read_text(encoding="utf-8").split(MARK)[1]
    assert written == "\n" + table()
