/** A plan and how its steps stand. */

import clsx from "clsx";
import { Circle, CircleCheck, CircleMinus, CircleX, ListChecks } from "lucide-react";
import type { ReactNode } from "react";

import { AgentAvatar } from "../../../components/agent-avatar";
import { Pill, type Tone } from "../../../components/pill";
import { Spinner } from "../../../components/spinner";
import type { PlanItem, PlanStepView } from "../../../events";
import { useText } from "../../../lib/i18n";
import { useFace } from "./agent-badge";

const STEP_ICONS: Readonly<Record<PlanStepView["status"], ReactNode>> = {
  pending: <Circle className="text-line-strong size-4" />,
  in_progress: <Spinner className="text-accent" />,
  completed: <CircleCheck className="text-ok size-4" />,
  failed: <CircleX className="text-danger size-4" />,
  skipped: <CircleMinus className="text-faint size-4" />,
};

const PLAN_TONES: Readonly<Record<PlanItem["status"], Tone>> = {
  executing: "accent",
  completed: "ok",
  failed: "danger",
  cancelled: "neutral",
};

export const PlanCard = ({ item }: { readonly item: PlanItem }) => {
  const t = useText();
  const reason = isSaidByStep(item) ? null : inWords(item.failure_reason, t.plan.reasons);
  return (
    <section
      id={`plan-${item.plan_id}`}
      aria-label={t.plan.title}
      className="bg-raised border-line shadow-card my-2 overflow-hidden rounded-card border"
    >
      <header className="border-line flex items-center gap-2.5 border-b px-4 py-2.5">
        <ListChecks aria-hidden="true" className="text-accent size-4 shrink-0" />
        <h3 className="min-w-0 flex-1 truncate text-sm font-semibold">{t.plan.title}</h3>
        <Pill tone={PLAN_TONES[item.status]}>{t.plan.statuses[item.status]}</Pill>
      </header>
      <ol className="flex flex-col py-1.5">
        {item.steps.map((step) => (
          <Step key={step.step_id} step={step} isReasonBelow={step.error === item.failure_reason} />
        ))}
      </ol>
      {reason !== null && (
        <p
          className={clsx(
            "px-4 py-2 text-[0.8125rem]",
            item.status === "failed" ? "bg-danger-soft text-danger" : "border-line text-muted border-t",
          )}
        >
          {reason}
        </p>
      )}
    </section>
  );
};

/** Whether the step that failed says already why the plan did. */
const isSaidByStep = ({ failure_reason, steps }: PlanItem): boolean =>
  steps.some(({ error }) => error !== null && failure_reason !== error && failure_reason?.endsWith(error));

/** What the runtime says of a plan in the reader's language; what a model or a tool says stays as it is. */
const inWords = (reason: string | null, known: Readonly<Record<string, string>>): string | null =>
  reason !== null && Object.hasOwn(known, reason) ? (known[reason] ?? reason) : reason;

interface StepProps {
  readonly step: PlanStepView;
  /** The plan as a whole says the same below its steps. */
  readonly isReasonBelow: boolean;
}

const Step = ({ step, isReasonBelow }: StepProps) => {
  const t = useText();
  const reason = isReasonBelow ? null : inWords(step.error, t.plan.reasons);
  const face = useFace(step.agent_id);
  const isQuiet = step.status === "pending" || step.status === "skipped";
  return (
    <li className="flex items-start gap-3 px-4 py-1.5" data-status={step.status}>
      <span className="mt-1">
        {STEP_ICONS[step.status]}
        <span className="sr-only">{t.plan.steps[step.status]}</span>
      </span>
      <div className="min-w-0 flex-1">
        <p
          className={clsx(
            "text-sm leading-6 break-words",
            isQuiet && "text-muted",
            step.status === "skipped" && "line-through",
          )}
        >
          {step.task}
        </p>
        {reason !== null && (
          <p className={clsx("text-xs break-words", step.status === "failed" ? "text-danger" : "text-muted")}>
            {reason}
          </p>
        )}
      </div>
      <span className="text-faint mt-0.5 flex shrink-0 items-center gap-1.5 text-xs">
        <AgentAvatar {...face} size="small" />
        <span className="hidden sm:inline">{face.name}</span>
      </span>
    </li>
  );
};
