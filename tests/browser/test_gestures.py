"""A finger that sweeps over the page steps; where something else scrolls or slides, it does not."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.conftest import Open
from tests.browser.helpers import sentence, status

pytestmark = pytest.mark.usefixtures("without_gradio")


@pytest.fixture
def phone(open_page: Open) -> Page:
    return open_page(375, query="?step=2", has_touch=True, reduced_motion="reduce")


def sweep(page: Page, over: Locator, across: float, down: float = 0) -> None:
    """One finger, from the middle of an element."""
    box = over.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        at: list[dict[str, Any]] = [{"x": x, "y": y, "id": 1} for x, y in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    touch("touchStart", (x, y))
    for share in (0.5, 1):
        touch("touchMove", (x + share * across, y + share * down))
    touch("touchEnd")
    session.detach()


def test_a_sweep_to_the_left_is_a_step_and_to_the_right_the_one_before(phone: Page) -> None:
    assert status(phone).startswith("Step 2 ")
    sweep(phone, sentence(phone), -120)
    phone.wait_for_function("location.search.includes('step=3')")
    sweep(phone, sentence(phone), 120)
    phone.wait_for_function("location.search.includes('step=2')")


def test_a_finger_that_goes_down_or_hardly_moves_steps_nowhere(phone: Page) -> None:
    for across, down in ((-30, 0), (-60, 80)):
        sweep(phone, sentence(phone), across, down)
        assert status(phone).startswith("Step 2 ")


def test_what_scrolls_or_slides_itself_keeps_the_finger(phone: Page) -> None:
    rows = phone.locator(".lit-rows > .rows")
    assert rows.evaluate("(it) => it.scrollWidth > it.clientWidth")
    sweep(phone, phone.get_by_role("listbox", name="Source"), -120)
    assert status(phone).startswith("Step 2 ")
