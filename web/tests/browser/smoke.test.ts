/** W-1, W-2, W-3, W-5, W-7: the built application in a browser, under the content policy of the server. */

import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import {
  ask,
  enterDemo,
  expectAccessible,
  picture,
  settled,
  startBrowser,
  type Visit,
  visit,
} from "./harness";

let browser: Browser;
let now: Visit;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());
afterEach(async () => {
  expect(now.complaints).toEqual([]);
  await now.page.context().close();
  await now.stub.close();
});

const start = async (options: BrowserContextOptions = {}, speed = 4): Promise<Page> => {
  now = await visit(browser, options, speed);
  await enterDemo(now.page);
  await now.page.getByText("what shall we work on?").waitFor();
  return now.page;
};

/** The conversation as a person reads it. */
const conversation = (page: Page): Promise<string | null> =>
  page.getByRole("region", { name: "Conversation" }).textContent();

test("three clicks lead to a useful answer, with its source opened at the place", async () => {
  const page = await start();
  await page.getByText("What does the travel policy say about hotels?").click();
  await settled(page);
  await page.getByRole("button", { name: "1 Travel policy § 4.2" }).click();
  expect(await page.locator("mark").textContent()).toBe(
    "Hotels are paid up to 140 euros a night, breakfast included.",
  );
  await picture(page, "source");
});

test("a reload shows the same as live", async () => {
  const page = await start();
  await ask(page, "late payment");
  await settled(page);
  const live = await conversation(page);
  await page.reload();
  await settled(page);
  expect(await conversation(page)).toBe(live);
});

test("after a loss in the middle of a turn nothing is missing and nothing is there twice", async () => {
  const page = await start({}, 1);
  await ask(page, "late payment");
  await page.getByText("Under way").first().waitFor();
  now.stub.dropSockets();
  await page.locator("[data-connection=online]").waitFor();
  await settled(page);
  const live = await conversation(page);
  await page.reload();
  await settled(page);
  expect(await conversation(page)).toBe(live);
});

test("a second tab is in step", async () => {
  const page = await start();
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
  const page = await start();
  await ask(page, "Book a meeting");
  await page.getByRole("button", { name: "Edit" }).click();
  await picture(page, "approval");
  await page.getByLabel("Duration minutes").fill("45");
  await page.getByRole("button", { name: "Approve with changes" }).click();
  await settled(page);
  expect(await conversation(page)).toContain("45 minutes");
});

test("an approval is rejected with a reason the agent hears", async () => {
  const page = await start();
  await ask(page, "Book a meeting");
  await page.getByRole("button", { name: "Reject" }).click();
  await page.getByLabel("Reason").fill("Too early");
  await page.getByRole("button", { name: "Reject" }).click();
  await settled(page);
  expect(await conversation(page)).toContain("Noted: Too early.");
});

test("a running turn is stopped", async () => {
  const page = await start({}, 1);
  await ask(page, "late payment");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped").waitFor();
});

test("a message written while a turn runs waits in line and is answered next", async () => {
  const page = await start({}, 1);
  await ask(page, "late payment");
  await page.getByRole("button", { name: "Stop" }).waitFor();
  await ask(page, "hotel policy");
  await page.getByText("In line").waitFor();
  await page.getByText("Anything above needs the approval").first().waitFor();
});

test("an expired login keeps the draft and the place", async () => {
  const page = await start();
  await ask(page, "hotel policy");
  await settled(page);
  await page.getByLabel("Message", { exact: true }).fill("half a thought");
  now.stub.world.isSignedIn = false;
  await page.getByRole("button", { name: "Good answer" }).click();
  await page.getByText("Your login has expired").waitFor();
  await enterDemo(page);
  await settled(page);
  expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("half a thought");
});

test("a session is renamed, found, archived and deleted by keyboard and menu", async () => {
  const page = await start();
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

test("the keyboard alone leads from the door to an answer", async () => {
  now = await visit(browser);
  const { page } = now;
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

test("the timeline of a turn shows its events and what one carried", async () => {
  const page = await start();
  await ask(page, "hotel policy");
  await settled(page);
  await page.getByRole("button", { name: "Timeline of this turn" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /search_documents/ })
    .first()
    .click();
  await page.getByRole("dialog").getByText('"query": "travel policy hotels"').waitFor();
  await expectAccessible(page);
  await picture(page, "timeline");
});

test("settings speak Spanish and turn the lights off, at once and after a reload", async () => {
  const page = await start();
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

test.each(["light", "dark"] as const)(
  "door, welcome, conversation and settings are accessible in the %s",
  async (colorScheme) => {
    now = await visit(browser, { colorScheme, reducedMotion: "reduce" });
    const { page } = now;
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
  const page = await start({
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
  now = await visit(browser);
  const play = now.stub.world.create();
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
  const { page } = now;
  await enterDemo(page);
  await page.getByRole("link", { name: /Long/ }).click();
  await page.getByRole("region", { name: "Conversation" }).getByText("Question 1249").waitFor();
  expect(await page.locator("[data-row]").count()).toBeLessThan(60);
  await page.getByRole("region", { name: "Conversation" }).evaluate((frame) => frame.scrollTo({ top: 0 }));
  await page.getByText("Question 0", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Latest" }).click();
  await page.getByRole("region", { name: "Conversation" }).getByText("Question 1249").waitFor();
});
