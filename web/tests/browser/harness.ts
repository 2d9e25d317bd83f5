/** A Chromium and a stub for the smoke tests. */

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";

import { type Stub, startStub } from "../../dev/stub.ts";

const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const PICTURES = resolve(import.meta.dirname, "../../../tests/artifacts/web");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf-8");

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const startBrowser = (): Promise<Browser> => chromium.launch({ executablePath: EXECUTABLE, args: FLAGS });

export interface Visit {
  readonly stub: Stub;
  readonly page: Page;
  /** What the browser complained about: errors of the page, and anything the content policy stopped. */
  readonly complaints: readonly string[];
}

/** A fresh stub and a page signed in to its demo. */
const visit = async (browser: Browser, options: BrowserContextOptions = {}, speed = 4): Promise<Visit> => {
  const stub = await startStub({ speed });
  const context = await browser.newContext({ viewport: { width: 1280, height: 820 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("Failed to load resource"))
      complaints.push(message.text());
  });
  await page.goto(stub.url);
  return { stub, page, complaints };
};

export const enterDemo = (page: Page): Promise<void> =>
  page.getByRole("button", { name: "Open the demo" }).click();

export const ask = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
};

/** Wait until nothing runs any more. */
export const settled = (page: Page): Promise<void> =>
  page.getByRole("button", { name: "Timeline of this turn" }).last().waitFor();

export const picture = async (page: Page, name: string): Promise<void> => {
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: resolve(PICTURES, `${name}.png`) });
};

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** WCAG 2.2 AA as far as a program can tell. */
export const expectAccessible = async (page: Page): Promise<void> => {
  await page.evaluate(AXE);
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
  const results = await page.evaluate(
    (wanted) =>
      (
        globalThis as unknown as { axe: { run: (root: Document, options: object) => Promise<AxeResults> } }
      ).axe.run(document, { runOnly: wanted }),
    tags,
  );
  expect(
    results.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`),
  ).toEqual([]);
};

export interface Stage {
  readonly visit: () => Visit;
  /** Open the page without signing in. */
  readonly open: (options?: BrowserContextOptions, speed?: number) => Promise<Page>;
  /** Open the page and enter the demo. */
  readonly start: (options?: BrowserContextOptions, speed?: number) => Promise<Page>;
}

/** A browser for a file of tests; after each test the page must have had nothing to complain about. */
export const stage = (): Stage => {
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
  const open: Stage["open"] = async (options, speed) => {
    now = await visit(browser, options, speed);
    return now.page;
  };
  return {
    visit: () => now,
    open,
    start: async (options, speed) => {
      const page = await open(options, speed);
      await enterDemo(page);
      await page.getByText("what shall we work on?").waitFor();
      return page;
    },
  };
};

/** The conversation as a person reads it. */
export const conversation = (page: Page): Promise<string | null> =>
  page.getByRole("region", { name: "Conversation" }).textContent();
