"""JavaScript and CSS without what only their readers need: comments and indentation.

Lines stay lines, so that the page's errors still name one; strings, templates and regular
expressions stay as they are written.
"""

import re

# What may precede a `/` that begins a regular expression, besides most signs.
_BEFORE_REGEX = {
    *("await", "case", "delete", "do", "else", "in", "instanceof", "new", "of", "return"),
    *("throw", "typeof", "void", "yield"),
}
_BEFORE_CONDITION = {"if", "for", "while", "with"}

_TOKEN = re.compile(
    r"""
    (?P<gap> (?: \s | //[^\n]* | /\*.*?\*/ )+ )
    | (?P<string> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' )
    | (?P<word> [\w$\#]+ )
    | (?P<template> ` )
    | (?P<sign> \+\+ | -- | [^\s"'`\w$\#] )
    """,
    re.VERBOSE | re.DOTALL,
)
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*(`|\$\{)", re.DOTALL)
_REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
_COMMENT = r"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/"  # which no search lengthens past its end
_STYLE = re.compile(
    rf"""
    (?P<kept> "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | url\([^)"']*\) )
    | (?:{_COMMENT})* \s (?: \s | {_COMMENT} )*
    | (?P<between> {_COMMENT} )
    """,
    re.VERBOSE | re.DOTALL,
)


def short_script(text: str) -> str:
    """JavaScript that does the same, a statement still beginning in a line of its own.

    Raises:
        ValueError: a `/` stands where only a parser knows whether it divides, or a text is not
            ended.
    """
    out: list[str] = []
    before = ""  # the last token that is no gap
    # Of each bracket that is open: whether it is a condition's, and whether it is a template's.
    open_brackets: list[tuple[bool, bool]] = []
    value = False  # whether what stands before is a value, which a `/` would divide
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if not match:
            raise ValueError(f"{_line(text, at)}: a text without an end")
        kind, token = match.lastgroup, match[0]
        if kind == "gap":
            out.append(_gap(token))
            at = match.end()
            continue
        if token == "/" and not value:
            match = _REGEX.match(text, at)
            if not match:
                raise ValueError(f"{_line(text, at)}: neither a division nor a regular expression")
            token, value = match[0], True
        elif token == "/" and before == "}":
            raise ValueError(f"{_line(text, at)}: a / after }}; put what stands before in brackets")
        elif kind == "template" or (token == "}" and open_brackets and open_brackets[-1][1]):
            if token == "}":
                open_brackets.pop()
            match = _TEMPLATE.match(text, match.end())
            if not match:
                raise ValueError(f"{_line(text, at)}: a template without an end")
            token += match[0]
            value = match[1] == "`"
            if not value:
                open_brackets.append((False, True))
        elif token in ("(", "[", "{"):
            open_brackets.append((before in _BEFORE_CONDITION, False))
            value = False
        elif token in (")", "]", "}"):
            is_condition = open_brackets.pop()[0] if open_brackets else False
            value = not is_condition
        else:
            value = token not in _BEFORE_REGEX if kind != "sign" else token in ("++", "--")
        out.append(token)
        before, at = token, match.end()
    return "".join(out).strip()


def short_styles(text: str) -> str:
    """CSS that says the same; a comment between two signs stays, which are one without it."""

    def short(match: re.Match[str]) -> str:
        return match["kept"] or (match["between"] and "/**/") or _gap(match[0])

    return _STYLE.sub(short, text).strip()


def _gap(text: str) -> str:
    return "\n" if "\n" in text else " "


def _line(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}"
