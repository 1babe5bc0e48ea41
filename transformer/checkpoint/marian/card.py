"""What people may read about an imported Marian model."""

import json
from pathlib import Path
from typing import Any

from ...text.tokenizer import Tokenizer
from ..json_object import read_json, read_regular
from .tokenizers import TOKENIZER_CONFIG, language_codes

# OPUS-MT gives some languages their three-letter codes.
LANGUAGES = {
    "eng": "en",
    "zho": "zh",
    "cmn": "zh",
    "fra": "fr",
    "deu": "de",
    "spa": "es",
    "rus": "ru",
}
EXAMPLES = {
    "en": ["I love you.", "Where is the station?", "She reads a book every evening."],
    "zh": ["我爱你。", "车站在哪里？", "她每天晚上看书。"],
    "fr": ["Je t'aime.", "Où est la gare ?", "Elle lit un livre tous les soirs."],
    "de": ["Ich liebe dich.", "Wo ist der Bahnhof?", "Sie liest jeden Abend ein Buch."],
    "es": ["Te quiero.", "¿Dónde está la estación?", "Ella lee un libro todas las noches."],
    "ru": ["Я люблю тебя.", "Где находится вокзал?", "Она читает книгу каждый вечер."],
}

FIRST = (">>cmn_Hans<<", ">>fra<<", ">>fr<<")
"""What examples are translated into by a model of many target languages, if it can."""


def card(name: str, folder: Path, tokenizer: Tokenizer) -> dict[str, Any]:
    """Title, languages and examples, as far as the files tell."""
    config = read_json(folder / TOKENIZER_CONFIG, optional=True)
    source, target = (
        LANGUAGES.get(code, code)
        for code in (str(config.get(f"{side}_lang") or "") for side in ("source", "target"))
    )
    codes = tokenizer.language_codes
    first = next((code for code in (*FIRST, *codes) if code in codes), "")
    prefix = f"{first} " if first else ""
    return {
        "title": {"en": name, "zh": name},
        "source_language": source,
        "target_language": target,
        "examples": [prefix + text for text in EXAMPLES.get(source, [])],
    }


def readme(name: str, source: str, folder: Path) -> str:
    """The model card: where the model comes from, under which licence, and what it expects."""
    license = _license(folder / "README.md")
    codes = language_codes(folder)
    lines = ["---", f"base_model: {json.dumps(source)}"]
    if license:
        lines.append(f"license: {json.dumps(license)}")
    lines += ["library_name: headlight", "pipeline_tag: translation", "---", "", f"# {name}", ""]
    lines += [
        f"A Marian model, imported from {source}; its weights are rounded to float16.",
        "",
        f"Licence: {license}, as its own card says."
        if license
        else "Its own card names no licence: ask its authors before you pass it on.",
    ]
    if codes:
        lines += ["", "Begin a sentence with the language to translate into: " + " ".join(codes)]
    return "\n".join(lines) + "\n"


def _license(path: Path) -> str:
    from huggingface_hub import ModelCard

    try:
        text = read_regular(path).decode("utf-8", "replace")
        return str(ModelCard(text).data.get("license") or "")
    except Exception:  # a card without front matter, or with one that is no YAML
        return ""
