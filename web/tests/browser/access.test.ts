/** W-5: keyboard, contrast and names, a phone, and long sessions in a browser. */

import { expect, test } from "vitest";

import { ask, enterDemo, expectAccessible, picture, settled, stage } from "./harness";

const scene = stage();

test("the keyboard alone leads from the door to an answer", async () => {
  const page = await scene.open();
  await page.getByRole("button", { name: "Open the demo" }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText("what shall we work on?").waitFor();
  await page.keyboard.press("Control+j");
  await page.keyboard.type("/f");
  await page.keyboard.press("Enter");
  expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("/find ");
  await page.keyboard.type("hotels");
  await page.keyboard.press("Enter");
  await settled(page);
});

test.each(["light", "dark"] as const)(
  "door, welcome, conversation and settings are accessible in the %s",
  async (colorScheme) => {
    const page = await scene.open({ colorScheme, reducedMotion: "reduce" });
    await page.getByRole("button", { name: "Open the demo" }).waitFor();
    await expectAccessible(page);
    await enterDemo(page);
    await page.getByText("what shall we work on?").waitFor();
    await expectAccessible(page);
    await picture(page, `welcome-${colorScheme}`);
    await ask(page, "late payment");
    await settled(page);
    await ask(page, "fail");
    await page.getByRole("alert").waitFor();
    await ask(page, "Book a meeting");
    await page.getByRole("button", { name: "Edit" }).waitFor();
    await expectAccessible(page);
    await picture(page, `conversation-${colorScheme}`);
    await page.keyboard.press("Control+,");
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await expectAccessible(page);
  },
);

test("on a phone the sessions are in a drawer and nothing is wider than the screen", async () => {
  const page = await scene.start({
    viewport: { width: 360, height: 720 },
    isMobile: true,
    hasTouch: true,
    reducedMotion: "reduce",
  });
  await page.getByText("What does the travel policy say about hotels?").click();
  await settled(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await picture(page, "phone");
  await page.getByRole("button", { name: "Show the sidebar" }).click();
  await expectAccessible(page);
  await picture(page, "phone-drawer");
  await page
    .getByRole("dialog")
    .getByRole("link", { name: /Recorded: plan/ })
    .click();
  await page.getByText("Acme owes most").first().waitFor();
});

test("a session of 5,000 events is drawn with few elements and scrolls to its start", async () => {
  const page = await scene.open();
  const play = scene.visit().stub.world.create();
  play.title = "Long";
  for (let turn = 0; turn < 1250; turn += 1) {
    const id = `T${turn}`;
    play.log.append(id, {
      type: "user_message_confirmed",
      content: `Question ${turn}`,
      attachments: [],
      client_message_id: null,
      target_agent_id: null,
    });
    play.log.append(id, {
      type: "tool_use",
      source_agent_id: "calculator",
      tool_use_id: id,
      tool_name: "calculate",
      args: { n: turn },
      is_server_side: false,
      model: "m",
      usage: null,
    });
    play.log.append(id, {
      type: "tool_result",
      source_agent_id: "calculator",
      tool_use_id: id,
      tool_name: "calculate",
      content: "1",
      success: true,
      error: null,
      duration_ms: 1,
      details: {},
    });
    play.log.append(id, {
      type: "complete",
      status: "success",
      stop_reason: "success",
      usage: { input: 1, output: 1, thinking: 0, cache_read: 0, cache_write: 0 },
      cost: null,
      duration_ms: 1,
    });
  }
  await enterDemo(page);
  await page.getByRole("link", { name: /Long/ }).click();
  await page.getByRole("region", { name: "Conversation" }).getByText("Question 1249").waitFor();
  expect(await page.locator("[data-row]").count()).toBeLessThan(60);
  await page.getByRole("region", { name: "Conversation" }).evaluate((frame) => frame.scrollTo({ top: 0 }));
  await page.getByText("Question 0", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Latest" }).click();
  await page.getByRole("region", { name: "Conversation" }).getByText("Question 1249").waitFor();
});
