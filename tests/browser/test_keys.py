"""Keys and links: the list of keys, going back from a change, and the address handed on."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import translate

pytestmark = pytest.mark.usefixtures("without_gradio")


def test_the_question_mark_lists_the_keys(page: Page) -> None:
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys.get_by_role("row", name="H hide what comes next, and show it")).to_be_visible()
    keys.get_by_role("button", name="Close").click()
    expect(keys).to_be_hidden()


def test_control_z_takes_a_change_back_and_shift_does_it_again(page: Page) -> None:
    box = page.get_by_role("textbox", name="Source sentence")
    before = box.input_value()
    translate(page, "I love you.")
    page.get_by_role("button", name="Next step").focus()
    page.keyboard.press("Control+z")
    expect(box).to_have_value(before)
    page.keyboard.press("Control+Shift+Z")
    expect(box).to_have_value("I love you.")
    page.keyboard.press("Control+Z")  # as with Caps Lock: a capital, and no Shift
    expect(box).to_have_value(before)


def test_before_the_first_change_control_z_leads_nowhere(page: Page) -> None:
    address = page.url
    page.get_by_role("button", name="Next step").focus()
    page.keyboard.press("Control+z")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    assert page.url == address


def test_the_link_that_is_copied_is_the_picture(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("slider", name="Step", exact=True).fill("2")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "step=2" in copied
    assert copied.split("?")[0] == page.url.split("?")[0]


def test_without_a_clipboard_the_link_is_copied_all_the_same(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read"])
    refuse = "navigator.clipboard.writeText = () => Promise.reject(new Error('insecure'))"
    page.evaluate(f"() => {{ {refuse} }}")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    assert "model=en-zh" in page.evaluate("navigator.clipboard.readText()")
