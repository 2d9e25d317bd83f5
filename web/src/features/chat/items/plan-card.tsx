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
          <Step key={step.step_id} step={step} />
        ))}
      </ol>
      {item.failure_reason !== null && (
        <p className="bg-danger-soft text-danger px-4 py-2 text-[0.8125rem]">{item.failure_reason}</p>
      )}
    </section>
  );
};

const Step = ({ step }: { readonly step: PlanStepView }) => {
  const t = useText();
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
        {step.error !== null && <p className="text-danger text-xs break-words">{step.error}</p>}
      </div>
      <span className="text-faint mt-0.5 flex shrink-0 items-center gap-1.5 text-xs">
        <AgentAvatar {...face} size="small" />
        <span className="hidden sm:inline">{face.name}</span>
      </span>
    </li>
  );
};
