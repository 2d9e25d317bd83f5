/** The plan under way, always in view: how far it is and which step runs. */

import { Hand, ListChecks } from "lucide-react";

import { Spinner } from "../../components/spinner";
import type { PlanItem, SessionView } from "../../events";
import { useText } from "../../lib/i18n";

interface Running {
  readonly plan: PlanItem;
  /** Whether it goes on only after a decision of the person. */
  readonly isWaiting: boolean;
}

const runningPlan = (view: SessionView): Running | undefined =>
  view.turns
    .filter((turn) => turn.status === "running" || turn.status === "paused")
    .flatMap((turn) => turn.items.map((item) => ({ item, isWaiting: turn.status === "paused" })))
    .flatMap(({ item, isWaiting }) =>
      item.kind === "plan" && item.status === "executing" ? [{ plan: item, isWaiting }] : [],
    )
    .at(-1);

export const PlanStrip = ({ view }: { readonly view: SessionView }) => {
  const t = useText();
  const running = runningPlan(view);
  if (running === undefined) return null;
  const { plan, isWaiting } = running;
  const done = plan.steps.filter((step) => step.status !== "pending" && step.status !== "in_progress").length;
  const current = plan.steps.find((step) => step.status === "in_progress");
  return (
    <div className="border-line bg-raised shadow-card animate-rise mb-2 flex items-center gap-2.5 rounded-xl border px-3 py-2 text-[0.8125rem]">
      <StripIcon isWaiting={isWaiting} isWorking={current !== undefined} />
      <span className="font-medium whitespace-nowrap tabular-nums">
        {t.plan.progress(done, plan.steps.length)}
      </span>
      <span className="text-muted min-w-0 flex-1 truncate">
        {isWaiting ? t.sessions.statuses.waiting : (current?.task ?? "")}
      </span>
      <span aria-hidden="true" className="bg-sunken h-1.5 w-20 overflow-hidden rounded-full">
        <span
          className="bg-accent block h-full rounded-full transition-[width] duration-300"
          style={{ width: `${(100 * done) / Math.max(plan.steps.length, 1)}%` }}
        />
      </span>
    </div>
  );
};

const StripIcon = ({
  isWaiting,
  isWorking,
}: {
  readonly isWaiting: boolean;
  readonly isWorking: boolean;
}) => {
  if (isWaiting) return <Hand aria-hidden="true" className="text-warn size-4 shrink-0" />;
  return isWorking ? (
    <Spinner className="text-accent" />
  ) : (
    <ListChecks aria-hidden="true" className="text-accent size-4 shrink-0" />
  );
};
