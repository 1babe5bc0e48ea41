"""Origins whose pages may show this one in a frame."""

import re

FRAMES = "HEADLIGHT_FRAME_ANCESTORS"
"""Names origins, besides Hugging Face's, whose pages may show this one in a frame: a school's
`https://moodle.example.org`, say, or `https://*.example.org`; blanks between them."""

USUAL = ("frame-ancestors 'self'", "https://huggingface.co", "https://*.hf.space")

_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# What a star stands for has an owner: two names at least lie behind it.
_ORIGIN = re.compile(
    rf"https?://(?:\*\.{_LABEL}\.)?{_LABEL}(?:\.{_LABEL})*(?::(?P<port>\d{{1,5}}))?", re.IGNORECASE
)


def frame_ancestors(named: str) -> str:
    """Origins whose pages may show this one, as a Content-Security-Policy says it.

    Raises:
        ValueError: one of the names is no origin: a path, say, or what would end the policy; or all
            of a top-level domain.
    """
    for origin in named.split():
        match = _ORIGIN.fullmatch(origin)
        if not match or not 0 < int(match["port"] or 443) < 2**16:
            raise ValueError(
                f"{FRAMES} holds {origin!r}, which is no origin: write https://moodle.example.org "
                "or https://*.example.org"
            )
    return " ".join((*USUAL, *named.split()))
