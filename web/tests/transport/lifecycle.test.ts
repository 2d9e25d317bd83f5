/** P-32: a new account speaks the language of the browser it is first used in. */

// @vitest-environment happy-dom

import { expect, test } from "vitest";

import type { Settings } from "../../src/transport/api-types";
import { adoptions } from "../../src/transport/lifecycle";

const fresh: Settings = {
  theme: "system",
  language: "en",
  default_agent_id: null,
  timezone: "UTC",
  enable_thinking: false,
  notifications: false,
  model: null,
  company: null,
};

test("settings as they were made take the browser's language and time zone", () => {
  const wish = adoptions(fresh, { language: "es", timezone: "Europe/Madrid" });
  expect(wish).toEqual({ language: "es", timezone: "Europe/Madrid" });
});

test("settings that somebody chose stay", () => {
  const chosen: Settings = { ...fresh, language: "es", timezone: "Asia/Tokyo" };
  expect(adoptions(chosen, { language: "en", timezone: "Europe/Madrid" })).toEqual({});
});
