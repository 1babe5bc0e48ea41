"""Scripts and styles that lost comments and indentation, and nothing else."""

import subprocess
from pathlib import Path

import pytest

from tests.node import ROOT, node
from transformer.show.shortened import short_script, short_styles
from transformer.show.viewer import ASSETS

TRICKY = r"""
// a comment with "a quote and a `tick
const out = []; /* one
of two lines */ const one = 1
const two = 2 // no semicolon: the line's end matters
out.push("// no comment", '/* nor this */', "it\"s", 'a\
b');
out.push(`  indented // text
    ${one + `${two /* in here */ + 1} } /* text */`} \` \${not} $ {
  { "`);
out.push("a/b/c".split(/[/"'`]/), / \/\/ /.test(" // "), one / two / 4, [6][0] / 2, (one) / two);
if (one) /'/.test("'") && out.push("regex after a condition");
let i = 4;
out.push(i++ / 2, `${i}`.length / 2, { a: { b: 1 } }.a);
const f = (x) => {
    return /* what
    ends the line */ 5
}
out.push(f() === undefined, typeof /x/.source, [..."a`b".matchAll(/`/g)].length);
console.log(JSON.stringify(out));
"""


def printed(script: str) -> bytes:
    run = subprocess.run([node(), "-e", script], capture_output=True, check=True)
    return run.stdout


def test_a_script_does_what_it_did_without_its_comments() -> None:
    short = short_script(TRICKY)
    assert printed(short) == printed(TRICKY)
    for comment in ("a comment", "no semicolon", "of two lines", "in here"):
        assert comment not in short
    assert not [line for line in short.splitlines() if line.startswith("    return")]


@pytest.mark.parametrize(
    "text", ["const a = {} / 2;", 'const a = "no end', "const a = `no end", "const a = / 2;"]
)
def test_what_only_a_parser_knows_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(ValueError, match="line 2: "):
        short_script(f"const b = 1;\n{text}\n")


def test_styles_say_the_same() -> None:
    style = """
/* a comment */
.a /* another */ > .b,
  .c/**/.d::before {
    content: "/* text */  it's";
    background: url(data:a/*b);
}
"""
    kept = '.a > .b,\n.c/**/.d::before {\ncontent: "/* text */  it\'s";\n'
    assert short_styles(style) == f"{kept}background: url(data:a/*b);\n}}"


def test_the_compiler_reads_every_module_as_before(tmp_path: Path) -> None:
    compiler = ROOT / "node_modules" / ".bin" / "tsc"
    if not compiler.exists():
        pytest.skip("`make check` installs the compiler")
    written: dict[str, dict[str, str]] = {}
    for kind, change in (("long", str), ("short", short_script)):
        for path in ASSETS.rglob("*.js"):
            file = tmp_path / kind / path.relative_to(ASSETS)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
        options = "--ignoreConfig --allowJs --noCheck --noResolve --removeComments"
        options += " --target esnext --module esnext"
        out = tmp_path / f"{kind}-out"
        places = ["--rootDir", tmp_path / kind, "--outDir", out]
        command = [node(), compiler, *options.split(), *places, *(tmp_path / kind).rglob("*.js")]
        subprocess.run(command, check=True)
        written[kind] = {
            str(path.relative_to(out)): path.read_text(encoding="utf-8")
            for path in out.rglob("*.js")
        }
    assert len(written["long"]) > 100
    assert written["short"] == written["long"]
