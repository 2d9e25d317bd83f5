/** How an agent shows itself, on machines without a font that has its icon too. */

import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";

import { AgentAvatar } from "../../src/components/agent-avatar";

const shown = (icon: string | null): string =>
  renderToStaticMarkup(<AgentAvatar name="books" icon={icon} color="#0EA5E9" />);

test.each(["🎼", "🎯", "📅", "📈", "📊", "📚", "🧮"])("the icon %s is drawn", (icon) => {
  expect(shown(icon)).toContain("<svg");
  expect(shown(icon)).not.toContain(icon);
});

test("an icon of one's own is shown as it is, and none as the first letter of the name", () => {
  expect(shown("🦊")).toContain("🦊");
  expect(shown("constructor")).toContain("constructor");
  expect(shown("")).toContain(">B<");
  expect(shown(null)).toContain(">B<");
});
