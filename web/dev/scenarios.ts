/** What happens when a person says something. The player writes the events into the log, in time. */

import { answer, call, handoff, type Scenario, say, think, use } from "./gestures.ts";
import { newId } from "./log.ts";
import { recordings, withoutPlace } from "./recordings.ts";

const POLICY =
  "## Travel policy\n\n4.1 Trips are booked at least two weeks ahead.\n\n4.2 Hotels are paid up to 140 euros a night, breakfast included. In Madrid and Barcelona up to 170 euros.\n\n4.3 Anything above needs the approval of the head of department.";

function* documents(): Scenario {
  yield* think(
    "supervisor",
    "This is about a policy document, so the documents agent should look it up and quote the clause.",
  );
  yield handoff("documents", "Search the policies");
  yield* use("documents", "search_documents", { query: "travel policy hotels", limit: 5 }, POLICY, 132);
  const content =
    "Hotels are paid **up to 140 € a night**, breakfast included.\n\n| City | Limit per night |\n|---|---:|\n| Madrid, Barcelona | 170 € |\n| Elsewhere | 140 € |\n\nAnything above needs the approval of the head of department.";
  const cite = (quote: string, words: string, place: string) => {
    const end = content.indexOf(words) + words.length;
    return {
      source: "travel-policy.md",
      title: "Travel policy",
      place,
      quote,
      url: null,
      start: end - words.length,
      end,
      raw: null,
    };
  };
  yield* say("documents", content, {
    citations: [
      cite("Hotels are paid up to 140 euros a night, breakfast included.", "breakfast included.", "§ 4.2"),
      cite("Anything above needs the approval of the head of department.", "head of department.", "§ 4.3"),
    ],
  });
}

function* calculation(): Scenario {
  yield handoff("calculator", "An exact figure is needed");
  yield* use("calculator", "calculate", { expression: "0.185 * 2349.90" }, "434.7315", 3.4);
  yield* say(
    "calculator",
    '18.5 % of 2,349.90 is **434.73**.\n\n$$0.185 \\times 2349.90 = 434.7315$$\n\n```python\nfrom decimal import Decimal\n\nshare = Decimal("0.185") * Decimal("2349.90")\nprint(share.quantize(Decimal("0.01")))  # 434.73\n```',
  );
}

function* appointment(): Scenario {
  yield* think(
    "supervisor",
    "A meeting has to be booked. The appointments agent resolves the date and asks before writing.",
  );
  yield handoff("appointments", "Book the meeting");
  yield* use(
    "appointments",
    "find_slot",
    { person: "Dr. Pérez", date: "2026-03-03", time: "10:00" },
    '{"free": true, "conflicts": []}',
    41,
  );
  const args = {
    title: "Meeting with Dr. Pérez",
    starts_at: "2026-03-03T10:00",
    duration_minutes: 30,
    location: "Calle Mayor 4, Madrid",
    send_invitation: true,
  };
  const request = call("appointments", "create_appointment", args, newId());
  const approval_id = newId();
  yield request;
  yield {
    type: "approval_requested",
    source_agent_id: "appointments",
    approval_id,
    tool_use_id: request["tool_use_id"],
    tool_name: "create_appointment",
    args,
    preview: "Tue 3 March 2026, 10:00 – 10:30\nMeeting with Dr. Pérez · Calle Mayor 4, Madrid",
    reason: "Writing to the calendar needs your approval",
    expires_at: new Date(Date.now() + 24 * 3_600_000).toISOString(),
  };
  yield { type: "turn_paused", source_agent_id: "appointments", reason: "approval", approval_id };
  const verdict = yield { await_approval: approval_id };
  if (verdict === undefined || verdict.decision === "rejected") {
    yield answer(request, "", 0, "rejected by the user");
    yield* say(
      "appointments",
      `I have not booked anything.${verdict?.reason ? ` Noted: ${verdict.reason}.` : ""}`,
    );
    return;
  }
  yield answer(request, JSON.stringify({ appointment_id: "A-1042", ...verdict.args }), 66);
  yield* say(
    "appointments",
    `Booked: **${String(verdict.args["title"])}**, ${String(verdict.args["duration_minutes"])} minutes. The invitation is in the calendar file.`,
  );
}

function* plan(): Scenario {
  const plan_id = newId();
  const steps = [
    {
      step_id: newId(),
      step_index: 0,
      agent_id: "documents",
      agent_name: "Documents",
      task: "Find the clause on late payment",
      depends_on: [],
    },
    {
      step_id: newId(),
      step_index: 1,
      agent_id: "calculator",
      agent_name: "Calculator",
      task: "Calculate the interest on 12,400 € over 45 days",
      depends_on: [],
    },
    {
      step_id: newId(),
      step_index: 2,
      agent_id: "appointments",
      agent_name: "Appointments",
      task: "Propose a date for the reminder",
      depends_on: [],
    },
  ];
  const tools = ["search_documents", "calculate", "find_slot"];
  yield* think("supervisor", "Three things are asked; they build on each other, so a plan it is.");
  yield {
    type: "plan_generated",
    source_agent_id: "supervisor",
    plan_id,
    query: "late payment",
    steps,
    estimated_steps: 3,
  };
  for (const step of steps) {
    yield { type: "plan_step_started", source_agent_id: "supervisor", plan_id, ...step };
    yield { ...handoff(step.agent_id, step.task), reason: "plan_step", plan_step_id: step.step_id };
    yield* use(
      step.agent_id,
      tools[step.step_index] ?? "look",
      { task: step.task },
      '{"ok": true}',
      60 + 40 * step.step_index,
    );
    yield {
      type: "plan_step_completed",
      source_agent_id: "supervisor",
      plan_id,
      step_id: step.step_id,
      step_index: step.step_index,
      status: "completed",
      result: "done",
      error: null,
    };
  }
  yield {
    type: "plan_completed",
    source_agent_id: "supervisor",
    plan_id,
    status: "completed",
    summary: "done",
    failure_reason: null,
  };
  yield* say(
    "supervisor",
    "Late payment is covered by **clause 7.2**: 8 % a year from the due date.\n\n- Interest on 12,400 € over 45 days: **122.30 €**\n- Proposed reminder: **Monday, 9 March, 09:30**\n\nShall I write the reminder?",
  );
}

function* failing(): Scenario {
  yield {
    type: "error",
    code: "PROVIDER_UNAVAILABLE",
    message: "The provider did not answer within 30 s",
    category: "transient",
    retryable: true,
  };
  throw new Error("failed");
}

function* recorded(name: string): Scenario {
  const found = recordings.find((recording) => recording.name === name);
  for (const event of found?.events ?? []) {
    if (!["user_message_confirmed", "session_start", "session_end", "complete"].includes(event.type))
      yield withoutPlace(event);
  }
}

function* unknown(text: string): Scenario {
  yield* say(
    "supervisor",
    `I know a fixed set of things and “${text}” is not among them. Try one of the examples, or \`/play plan\`.`,
  );
}

const TABLE: readonly (readonly [RegExp, (text: string) => Scenario])[] = [
  [/^\/play (\S+)/, (text) => recorded(text.slice(6).trim())],
  [/late payment|pagos atrasados|plan/i, plan],
  [/policy|política|find|hotel/i, documents],
  [/book|cita|meeting/i, appointment],
  [/\d.*[%+*]|calc|18/i, calculation],
  [/fail/i, failing],
];

/** The scenario that fits a message. */
export const scenarioFor = (text: string): Scenario =>
  (TABLE.find(([pattern]) => pattern.test(text))?.[1] ?? unknown)(text);
