"""Coming in and leaving: the first account, a wrong password, the right one, signing out (P-1, P-20, W-7)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page

from tests.support.browser import Visitor, picture
from tests.support.platform import PASSWORD, Running, running, settings_for

pytestmark = pytest.mark.asyncio(loop_scope="session")

EMAIL = "e2e00001-owner@example.com"


@pytest_asyncio.fixture(loop_scope="session")
async def site(tmp_path: Path) -> AsyncIterator[Running]:
    """A platform that nobody has used yet."""
    async with running(settings_for(tmp_path)) as found:
        yield found


async def sign_in(page: Page, password: str) -> None:
    await page.get_by_label("Email").fill(EMAIL)
    await page.get_by_label("Password").fill(password)
    await page.get_by_role("button", name="Sign in").click()


async def test_the_first_visitor_sets_up_leaves_and_comes_back_with_the_right_password_only(
    visitor: Visitor, site: Running
) -> None:
    token = await site.platform.identity.new_setup_token()
    assert token is not None
    page = await visitor.open(site.address)
    await page.get_by_label("Setup token").fill(token)
    await page.get_by_label("Name").fill("Olga Owner")
    await page.get_by_label("Email").fill(EMAIL)
    await page.get_by_label("Password").fill(PASSWORD)
    await picture(page, "setup")
    await page.get_by_role("button", name="Create account").click()
    await page.get_by_text("Hello Olga").wait_for()
    await page.get_by_role("button", name="Olga Owner").click()
    await page.get_by_role("menuitem", name="Sign out").click()
    await sign_in(page, "wrong horse battery")
    await page.get_by_role("alert").wait_for()
    await picture(page, "wrong-password")
    assert await page.get_by_text("Hello Olga").count() == 0
    await sign_in(page, PASSWORD)
    await page.get_by_text("Hello Olga").wait_for()


async def test_a_login_that_ends_elsewhere_asks_again_and_keeps_the_draft(visitor: Visitor, site: Running) -> None:
    """W-4: nothing typed is lost."""
    person = await site.person(EMAIL, password=PASSWORD)
    page = await visitor.open(site.address, person=person)
    await page.get_by_label("Message", exact=True).fill("half a thought")
    assert (await person.http.post("/api/auth/logout")).status_code < 300
    await page.get_by_text("Your login has expired").wait_for()
    await sign_in(page, PASSWORD)
    await page.get_by_label("Message", exact=True).wait_for()
    assert await page.get_by_label("Message", exact=True).input_value() == "half a thought"
