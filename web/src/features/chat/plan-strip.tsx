/** The plan under way, always in view: how far it is and which step runs. */

import { ListChecks } from "lucide-react";

import { Spinner } from "../../components/spinner";
import type { PlanItem, SessionView } from "../../events";
import { useText } from "../../lib/i18n";

const runningPlan = (view: SessionView): PlanItem | undefined =>
  view.turns
    .filter((turn) => turn.status === "running" || turn.status === "paused")
    .flatMap((turn) => turn.items)
    .findLast((item): item is PlanItem => item.kind === "plan" && item.status === "executing");

export const PlanStrip = ({ view }: { readonly view: SessionView }) => {
  const t = useText();
  const plan = runningPlan(view);
  if (plan === undefined) return null;
  const done = plan.steps.filter((step) => step.status !== "pending" && step.status !== "in_progress").length;
  const current = plan.steps.find((step) => step.status === "in_progress");
  return (
    <div className="border-line bg-raised shadow-card animate-rise mb-2 flex items-center gap-2.5 rounded-xl border px-3 py-2 text-[0.8125rem]">
      {current === undefined ? (
        <ListChecks className="text-accent size-4" />
      ) : (
        <Spinner className="text-accent" />
      )}
      <span className="font-medium whitespace-nowrap tabular-nums">
        {t.plan.progress(done, plan.steps.length)}
      </span>
      <span className="text-muted min-w-0 flex-1 truncate">{current?.task ?? ""}</span>
      <span aria-hidden="true" className="bg-sunken h-1.5 w-20 overflow-hidden rounded-full">
        <span
          className="bg-accent block h-full rounded-full transition-[width] duration-300"
          style={{ width: `${(100 * done) / Math.max(plan.steps.length, 1)}%` }}
        />
      </span>
    </div>
  );
};
