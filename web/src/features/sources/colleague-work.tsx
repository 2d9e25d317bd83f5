/** The work of a colleague that an answer refers to: the task and the answer to it. */

import { Markdown } from "../../components/markdown/markdown";
import type { PlanStepView } from "../../events";
import { useText } from "../../lib/i18n";

export const ColleagueWork = ({ step, name }: { readonly step: PlanStepView; readonly name: string }) => {
  const t = useText();
  return (
    <>
      <h3 className="text-faint text-xs font-medium">{t.sources.task}</h3>
      <p className="mt-1.5 text-sm leading-relaxed break-words">{step.task}</p>
      <h3 className="text-faint mt-6 text-xs font-medium">{t.sources.answer(name)}</h3>
      <div className="border-line bg-raised mt-2 rounded-xl border px-4 py-3">
        <Markdown text={step.result ?? ""} copyLabels={t.common.copyLabels} />
      </div>
    </>
  );
};
