// @vitest-environment happy-dom
/** What a decision sends, and what the card of a decided one shows. */

import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TooltipProvider } from "../../src/components/tooltip";
import type { ApprovalItem } from "../../src/events";
import { ApprovalCard } from "../../src/features/chat/approval/approval-card";
import { DecisionPanel } from "../../src/features/chat/approval/decision-panel";
import { api } from "../../src/transport/api";

const item: ApprovalItem = {
  kind: "approval",
  event_id: "event",
  timestamp: "2026-03-02T09:00:00Z",
  sequence_number: 1,
  message_id: null,
  agent_id: "bank",
  approval_id: "approval",
  tool_use_id: "call",
  tool_name: "pay",
  args: { amount: 200 },
  preview: null,
  reason: "",
  required_role: null,
  expires_at: null,
  state: "pending",
  decided_args: null,
  decided_by: null,
  decision_reason: null,
  decided_at: null,
};

let root: Root;
let place: HTMLElement;
const decide = vi.spyOn(api, "decide");

beforeEach(async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  decide.mockReset().mockResolvedValue({ state: "decided" });
  place = document.body.appendChild(document.createElement("div"));
  root = createRoot(place);
  await show(item);
});

const show = (shown: ApprovalItem): Promise<void> =>
  act(async () =>
    root.render(
      <TooltipProvider>
        <DecisionPanel item={shown} />
      </TooltipProvider>,
    ),
  );

afterEach(async () => {
  await act(async () => root.unmount());
  place.remove();
});

const press = async (name: string): Promise<void> => {
  const button = [...place.querySelectorAll("button")].find((found) => found.textContent?.trim() === name);
  if (button === undefined) throw new Error(`no button ${name} in ${place.textContent}`);
  await act(async () => button.click());
};

const tick = async (): Promise<void> => {
  await act(async () => place.querySelector<HTMLInputElement>("input[type=checkbox]")?.click());
};

test("an approval is remembered if the box is ticked", async () => {
  await tick();
  await press("Approve");
  expect(decide).toHaveBeenCalledWith("approval", { decision: "approve", remember: "session" });
});

test("a rejection is never remembered, also if the box was ticked before", async () => {
  await tick();
  await press("Reject");
  await press("Reject");
  expect(decide).toHaveBeenCalledWith("approval", { decision: "reject" });
});

test("what is set aside decides nothing else", async () => {
  await tick();
  await press("Set aside");
  expect(decide).toHaveBeenCalledWith("approval", { decision: "set_aside" });
});

test("arguments stand below the decision unless a preview shows field by field what they do", async () => {
  expect(place.querySelector("dl")?.textContent).toContain("200");
  await show({ ...item, preview: "Pays two hundred." });
  expect(place.querySelector("dl")?.textContent).toContain("200");
  await show({ ...item, preview: "| Field | After |\n|---|---:|\n| Amount | 200.00 |" });
  expect(place.querySelector("dl")).toBeNull();
  await press("What is sent");
  expect(place.querySelector("dl")?.textContent).toContain("200");
});

test("an edit has a field for each value, an id of a tool's own too, and keeps what says which record is meant", async () => {
  const args = { id: "7", record_id: "25cb", etag: 'W/"1"', values: { phoneNumber: "600" } };
  await show({ ...item, args });
  await press("Edit");
  expect([...place.querySelectorAll("form input")].map((field) => (field as HTMLInputElement).value)).toEqual(
    ["7", "600"],
  );
  await press("Approve with changes");
  expect(decide).toHaveBeenCalledWith("approval", { decision: "edit", args });
});

test("a change that a person made is shown field by field, and the preview as what was asked for", async () => {
  const args = { entity: "customers", values: { creditLimit: 5000, city: "Milano" } };
  const changed: ApprovalItem = {
    ...item,
    state: "edited",
    args,
    decided_args: { ...args, values: { creditLimit: 4200, city: "Milano" } },
    preview: "After: 5000",
  };
  await act(async () =>
    root.render(
      <TooltipProvider>
        <ApprovalCard item={changed} />
      </TooltipProvider>,
    ),
  );
  await act(async () => place.querySelector("button")?.click());

  const headings = [...place.querySelectorAll("h4")].map((each) => each.textContent);
  expect(headings).toEqual(["As it was asked for", "As it was approved"]);
  expect([...place.querySelectorAll("del")].map((each) => each.textContent)).toEqual(["before: 5000"]);
  expect(place.textContent).not.toContain("{");
});
