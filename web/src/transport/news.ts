/** What a person who looks elsewhere would want to know of a session. Pure. */

import type { SessionSummary } from "./api-types";

export type News = "ended" | "approval";

/** What a change of a session means: a turn ended, a decision is needed, or nothing worth telling. */
export const newsOf = (before: SessionSummary | undefined, after: SessionSummary): News | null => {
  if (after.status === "waiting") {
    const asked = before?.status === "waiting" ? before.pending_approvals : 0;
    return after.pending_approvals > asked ? "approval" : null;
  }
  if (after.status !== "idle" || before === undefined) return null;
  // A short turn may be over before its start was seen: then only its last words are new.
  return before.status !== "idle" || before.preview !== after.preview ? "ended" : null;
};
