/** Plans and their conclusions. */

import type { Item, TurnView } from "../../events";

/** Whether an answer to a step of a plan is taken up by a later one of the planner. */
export const isConcluded = (turn: TurnView, item: Item): boolean => {
  if (item.kind !== "assistant_message") return false;
  const isPlanner = (agent: string | null): boolean =>
    turn.items.some(
      (plan) =>
        plan.kind === "plan" &&
        plan.agent_id === agent &&
        plan.steps.some(({ agent_id }) => agent_id === item.agent_id),
    );
  const later = turn.items.slice(turn.items.indexOf(item) + 1);
  return later.some(
    ({ kind, agent_id }) => kind === "assistant_message" && agent_id !== item.agent_id && isPlanner(agent_id),
  );
};
