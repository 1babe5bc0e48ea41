"""What people may read about an imported Marian model."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from ...text.tokenizer import Tokenizer
from ..json_object import read_json, read_regular
from .tokenizers import TOKENIZER_CONFIG, language_codes

LANGUAGES = files("transformer.checkpoint.marian") / "languages.json"
"""The file of usual codes by OPUS-MT's three letters, and of sentences to try by usual code."""

FIRST = (">>cmn_Hans<<", ">>fra<<", ">>fr<<")
"""What examples are translated into by a model of many target languages, if it can."""


def card(name: str, folder: Path, tokenizer: Tokenizer) -> dict[str, Any]:
    """Title, languages and examples, as far as the files tell."""
    config = read_json(folder / TOKENIZER_CONFIG, optional=True)
    languages = json.loads(LANGUAGES.read_text(encoding="utf-8"))
    source, target = (
        languages["codes"].get(code, code)
        for code in (str(config.get(f"{side}_lang") or "") for side in ("source", "target"))
    )
    codes = tokenizer.language_codes
    first = next((code for code in (*FIRST, *codes) if code in codes), "")
    prefix = f"{first} " if first else ""
    return {
        "title": {"en": name, "zh": name},
        "source_language": source,
        "target_language": target,
        "examples": [prefix + text for text in languages["examples"].get(source, [])],
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
