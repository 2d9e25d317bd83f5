/** What an entry of the timeline is called and what it says, in the words of the reader. Pure. */

import type { Dictionary } from "../../lib/i18n";
import { named } from "../../lib/words";
import type { TimelineEntry } from "../../transport/api-types";

type Said = Pick<TimelineEntry, "type" | "label">;
type Words = Readonly<Record<string, string>>;

/** What happened. */
export const titleOf = ({ type, label }: Said, { timeline }: Dictionary): string =>
  type === "complete" && label === "paused"
    ? named("turn_paused", timeline.types)
    : named(type, timeline.types);

/** Whose words the labels of a type of event are. */
const wordsOf = (type: string, t: Dictionary): Words => {
  if (type.startsWith("tool_") || type === "approval_requested") return t.tools.names;
  const known: Readonly<Record<string, Words>> = {
    agent_handoff: t.chat.handoffReasons,
    complete: t.timeline.outcomes,
    plan_step_completed: t.plan.steps,
    plan_completed: t.plan.statuses,
  };
  return known[type] ?? {};
};

/** What it says of itself; nothing if that is only its type again. */
export const labelOf = ({ type, label }: Said, t: Dictionary): string => {
  if (label === type) return "";
  if (type === "turn_paused" && label.endsWith(" waits for approval")) return t.sessions.statuses.waiting;
  return wordsOf(type, t)[label] ?? label;
};
