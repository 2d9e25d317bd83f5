/** W-1, W-2, W-7: talking to the team in a browser, under the content policy of the server. */

import { expect, test } from "vitest";

import { ask, conversation, picture, settled, stage } from "./harness";

const scene = stage();

test("three clicks lead to a useful answer, with its source opened at the place", async () => {
  const page = await scene.start();
  await page.getByText("What does the travel policy say about hotels?").click();
  await settled(page);
  await page.getByRole("button", { name: "1 Travel policy § 4.2" }).click();
  expect(await page.locator("mark").textContent()).toBe(
    "Hotels are paid up to 140 euros a night, breakfast included.",
  );
  await picture(page, "source");
});

test("a reload shows the same as live", async () => {
  const page = await scene.start();
  await ask(page, "late payment");
  await settled(page);
  const live = await conversation(page);
  await page.reload();
  await settled(page);
  expect(await conversation(page)).toBe(live);
});

test("after a loss in the middle of a turn nothing is missing and nothing is there twice", async () => {
  const page = await scene.start({}, 1);
  await ask(page, "late payment");
  await page.getByText("Under way").first().waitFor();
  scene.visit().stub.dropSockets();
  await page.locator("[data-connection=online]").waitFor();
  await settled(page);
  const live = await conversation(page);
  await page.reload();
  await settled(page);
  expect(await conversation(page)).toBe(live);
});

test("a second tab is in step", async () => {
  const page = await scene.start();
  await ask(page, "What is 18 % of 20?");
  await settled(page);
  const second = await page.context().newPage();
  await second.goto(page.url());
  await settled(second);
  await ask(page, "hotel policy");
  await second.getByText("Anything above needs the approval").first().waitFor();
  await page.getByRole("button", { name: "Timeline of this turn" }).nth(1).waitFor();
  await second.getByRole("button", { name: "Timeline of this turn" }).nth(1).waitFor();
  expect(await conversation(second)).toBe(await conversation(page));
});

test("an approval is edited and what was edited is executed", async () => {
  const page = await scene.start();
  await ask(page, "Book a meeting");
  await page.getByRole("button", { name: "Edit" }).click();
  await picture(page, "approval");
  await page.getByLabel("Duration (minutes)").fill("45");
  await page.getByRole("button", { name: "Approve with changes" }).click();
  await settled(page);
  expect(await conversation(page)).toContain("45 minutes");
});

test("an approval is rejected with a reason the agent hears", async () => {
  const page = await scene.start();
  await ask(page, "Book a meeting");
  await page.getByRole("button", { name: "Reject" }).click();
  await page.getByLabel("Reason").fill("Too early");
  await page.getByRole("button", { name: "Reject" }).click();
  await settled(page);
  expect(await conversation(page)).toContain("Noted: Too early.");
});

test("a running turn is stopped", async () => {
  const page = await scene.start({}, 1);
  await ask(page, "late payment");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped").waitFor();
});

test("a message written while a turn runs waits in line and is answered next", async () => {
  const page = await scene.start({}, 1);
  await ask(page, "late payment");
  await page.getByRole("button", { name: "Stop" }).waitFor();
  await ask(page, "hotel policy");
  await page.getByText("In line").waitFor();
  await page.getByText("Anything above needs the approval").first().waitFor();
});

test("the end stays in view while answers arrive, and what a reader opens or scrolls to stays where it is", async () => {
  const page = await scene.start();
  const frame = page.getByRole("region", { name: "Conversation" });
  const distance = () =>
    frame.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
  for (const text of ["late payment", "hotel policy", "What is 18 % of 20?"]) {
    await ask(page, text);
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await settled(page);
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  }
  await expect.poll(distance).toBeLessThan(3);
  await frame
    .getByRole("button", { name: /Calculate/ })
    .last()
    .click();
  await expect.poll(distance).toBeGreaterThan(100);
  await frame.hover();
  await page.mouse.wheel(0, -600);
  await expect.poll(distance).toBeGreaterThan(400);
  await ask(page, "hotel policy");
  await expect.poll(distance).toBeLessThan(3);
});
