"""The text that a translator goes on from."""

import random
from collections import Counter
from pathlib import Path

import pytest

from scripts import mixture
from scripts.mixture import MIXTURES


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tatoeba-en-fr"
    folder.mkdir()
    (folder / "dev.tsv").write_text("Who's there?\tQui est là ?\n", encoding="utf-8")
    lines = ["Come in!\tEntrez !", "who's there\tQui va là ?", "It rains.\tIl pleut.", "two\tdeux"]
    (folder / "train.tsv").write_text("\n".join(lines), encoding="utf-8")
    own = tmp_path / "corpora"
    own.mkdir()
    (own / "phrases.tsv").write_text("Hi!\t嗨！\tSalut !\tHi!\n", encoding="utf-8")
    (own / "class.tsv").write_text("a token\tun token\tein Token\n", encoding="utf-8")
    monkeypatch.setattr(mixture, "CORPORA", own)
    times = {"phrases.tsv": 3, "class.tsv": 1, "tatoeba-en-fr/train.tsv": 1}
    monkeypatch.setitem(MIXTURES, "en-fr", times)
    return tmp_path


def test_a_mixture_repeats_what_it_should_and_keeps_out_what_is_scored(data: Path) -> None:
    counts = Counter(mixture.mixture("en-fr", data, seed=1))
    assert counts["Hi!", "Salut !"] >= 3
    assert counts["a token", "un token"] == counts["two", "deux"] == 1
    assert not any("là" in target for _, target in counts)
    assert any(target in ("Salut ! Entrez !", "Entrez ! Il pleut.") for _, target in counts)


def test_what_is_scored_on_lies_beside_it_with_the_source_first(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (data / "tatoeba-en-fr").rename(data / "tatoeba-en-zh")
    monkeypatch.setitem(MIXTURES, "zh-en", {"phrases.tsv": 3})
    out = data / "runs" / "zh-en.tsv"
    monkeypatch.setattr("sys.argv", ["", "zh-en", "--data", str(data), "--out", str(out)])
    mixture.main()
    assert out.with_suffix(".dev.tsv").read_text(encoding="utf-8") == "Qui est là ?\tWho's there?\n"
    assert out.read_text(encoding="utf-8").startswith("嗨！")


def test_a_share_of_the_sources_comes_misspelt_as_well() -> None:
    text = [
        ("I received your message.", "J'ai reçu ton message."),
        ("Form a line.", "Alignez-vous."),
    ]
    again = Counter(mixture.misspelt(text * 200, random.Random(1)))
    typed = {source for source, _ in again}
    assert {"I recieved your mesage.", "I received your messege."} < typed
    assert {target for _, target in again} == {"J'ai reçu ton message."}
    assert 50 < again.total() < 110
    assert "I received your message." not in typed


def test_a_misspelling_is_no_word_of_the_text() -> None:
    text = [("It is quite quiet here.", "C'est assez calme ici.")] * 100
    typed = {source for source, _ in mixture.misspelt(text, random.Random(1))}
    assert any("qiute" in source for source in typed)
    assert not any(source.count("quiet") + source.count("quite") > 2 for source in typed)
    assert not any("quite quite" in source or "quiet quiet" in source for source in typed)


def test_every_file_of_our_own_stands_there() -> None:
    names = {name for files in MIXTURES.values() for name in files if "/" not in name}
    assert [name for name in names if not (mixture.CORPORA / name).exists()] == []
