"""A school may show the page in its own, if whoever runs the server names the school."""

import pytest

from headlight.frames import frame_ancestors

USUAL = "frame-ancestors 'self' https://huggingface.co https://*.hf.space"


def test_origins_that_are_named_come_after_the_usual_ones() -> None:
    assert frame_ancestors("") == USUAL
    named = "https://moodle.example.org  http://*.school.test:8080 http://localhost:65535"
    assert frame_ancestors(named) == " ".join([USUAL, *named.split()])


@pytest.mark.parametrize(
    "named",
    [
        *("moodle.example.org", "https://moodle.example.org/", "*", "https://*", "'none'"),
        *("https://a.example; script-src *", "https://a.example,https://b.example"),
        *("javascript://a", "https://user@a.example", "https://a..example", "https://-a.example"),
        *("https://*.com", "https://*.localhost", "https://*.*.example.org"),
        *("https://a.example:99999", "https://a.example:65536", "https://a.example:0"),
    ],
)
def test_what_is_no_origin_is_refused(named: str) -> None:
    with pytest.raises(ValueError, match="HEADLIGHT_FRAME_ANCESTORS"):
        frame_ancestors(named)
