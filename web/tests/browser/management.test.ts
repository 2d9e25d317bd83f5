/** W-3, W-4: sessions, settings, the timeline and an expired login in a browser. */

import { expect, test } from "vitest";

import { ask, enterDemo, expectAccessible, picture, settled, stage } from "./harness";

const scene = stage();

test("an expired login keeps the draft and the place", async () => {
  const page = await scene.start();
  await ask(page, "hotel policy");
  await settled(page);
  await page.getByLabel("Message", { exact: true }).fill("half a thought");
  scene.visit().stub.world.isSignedIn = false;
  await page.getByRole("button", { name: "Good answer" }).click();
  await page.getByText("Your login has expired").waitFor();
  await enterDemo(page);
  await settled(page);
  expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("half a thought");
});

test("a session is renamed, found, archived and deleted by keyboard and menu", async () => {
  const page = await scene.start();
  await ask(page, "hotel policy");
  await settled(page);
  const act = async (name: string): Promise<void> => {
    await page
      .getByRole("button", { name: /^Actions for/ })
      .first()
      .focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name, exact: true }).click();
  };
  await act("Rename");
  await page.getByLabel("Title").fill("Zebra");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: /Zebra/ }).waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("zebra");
  await page
    .getByRole("link", { name: /Recorded/ })
    .first()
    .waitFor({ state: "detached" });
  await act("Archive");
  await page.getByText("Nothing found").waitFor();
  await page.getByRole("button", { name: "Show the archive" }).click();
  await page.getByRole("link", { name: /Zebra/ }).waitFor();
  await act("Delete");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("what shall we work on?").waitFor();
});

test("the timeline of a turn shows its events and what one carried", async () => {
  const page = await scene.start();
  await ask(page, "hotel policy");
  await settled(page);
  await page.getByRole("button", { name: "Timeline of this turn" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /Search documents/ })
    .first()
    .click();
  await page.getByRole("dialog").getByText('"query": "travel policy hotels"').waitFor();
  await expectAccessible(page);
  await picture(page, "timeline");
});

test("settings speak Spanish and turn the lights off, at once and after a reload", async () => {
  const page = await scene.start();
  await page.keyboard.press("Control+,");
  await page.getByRole("radio", { name: "Español" }).click();
  await page.getByRole("radio", { name: "Oscuro" }).click();
  await page.getByRole("heading", { name: "Ajustes" }).waitFor();
  await page.reload();
  await page.getByText("¿en qué trabajamos?").waitFor();
  expect(
    await page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset["theme"]]),
  ).toEqual(["es", "dark"]);
  await picture(page, "spanish-dark");
});
