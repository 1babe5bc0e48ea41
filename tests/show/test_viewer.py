"""The viewer's modules joined into one: what each exports, and nothing that cannot be joined."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.node import node
from transformer.show.shortened import short_styles
from transformer.show.viewer import ASSETS, script, scripts, styles

PARTS = {
    "door.js": """
/** @param {import("./kit/number.js").One} x */
import { one, two as second } from "./kit/number.js";
import {
  double,
} from "./kit/double.js";

const local = 5; // each module has one

export async function main() {
  const { tenth } = await import("./later.js");
  return [one, second(), double(local), tenth()];
}
""",
    "later.js": """
import { two } from "./kit/number.js";
import { half } from "./kit/half.js";

export const tenth = () => half() / (5 * two() - 5);
""",
    "kit/half.js": "export const half = () => 0.5;\n",
    "kit/number.js": "export const one = 1;\nconst local = 2;\n"
    "export function two() {\n  return local;\n}\n",
    "kit/double.js": 'import { two } from "./number.js";\n'
    "export const double = (x) => two() * x;\n",
}

LATER_AGAIN = {
    "door.js": """
import { two } from "./kit/number.js";

export async function main() {
  const { tenth } = await import("./later.js");
  const { half } = await import("./kit/half.js"); // which comes with the door
  return [two(), await tenth(), half()];
}
""",
    "later.js": """
import { two } from "./kit/number.js";
import { half } from "./kit/half.js";

export const tenth = async () => half() / (await import("./kit/five.js")).five(two());
""",
    "kit/five.js": """
import { half } from "./half.js";
import { one } from "./number.js";

export const five = (x) => (x + half()) / half() + one - one;
""",
}


def folder(at: Path, parts: dict[str, str]) -> Path:
    for name, text in parts.items():
        (at / name).parent.mkdir(exist_ok=True)
        (at / name).write_text(text, encoding="utf-8")
    return at


def test_modules_run_as_one(tmp_path: Path) -> None:
    joined = script("door.js", folder(tmp_path, PARTS))
    assert not re.search("^import", joined, re.MULTILINE)
    (tmp_path / "joined.mjs").write_text(f"{joined}console.log(JSON.stringify(await main()));")
    run = subprocess.run([node(), tmp_path / "joined.mjs"], capture_output=True, check=True)
    assert run.stdout == b"[1,2,10,0.1]\n"


def test_what_is_imported_later_is_a_module_of_its_own(tmp_path: Path) -> None:
    files = scripts("door.js", folder(tmp_path, PARTS | LATER_AGAIN))
    assert list(files) == ["door.js", "kit_five.js", "later.js"]
    for name, text in files.items():
        assert ("local = 2" in text) == (name == "door.js"), "what the door has is lent"
        assert ("0.5" in text) == (name == "door.js"), "what two need comes with the door"
        (tmp_path / name).write_text(text)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "door.js").write_text(
        f"{files['door.js']}console.log(JSON.stringify(await door.main()));"
    )
    run = subprocess.run([node(), tmp_path / "door.js"], capture_output=True, check=True)
    assert run.stdout == b"[2,0.1,0.5]\n"


@pytest.mark.parametrize(
    "line", ["export default 1;", 'import "./other.js";', "const x = import(name);"]
)
def test_what_cannot_be_joined_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(ValueError, match=r"assets/door.js: .* is no import or export"):
        script("door.js", folder(tmp_path, {"door.js": line, "other.js": ""}))


def test_every_style_sheet_is_in_the_cascade() -> None:
    joined = styles()
    assert "@import" not in joined
    for path in ASSETS.rglob("*.css"):
        if path.name != "viewer.css" and path.parent.name != "site":
            assert short_styles(path.read_text(encoding="utf-8")) in joined, path.name


def test_a_page_can_hold_it() -> None:
    assert not re.search("</script|<!--", script("main.js"))
    assert "</style" not in styles()


def test_a_saved_trace_carries_nothing_that_asks_a_server() -> None:
    served, saved = script("start.js"), script("main.js")
    for module in ("served", "lessons_panel", "views_source", "questions_why_view"):
        assert f"const {module} = (() => {{" in served
        assert f"const {module} = (() => {{" not in saved
