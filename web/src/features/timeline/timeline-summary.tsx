/** A turn in figures. */

import clsx from "clsx";

import { count, duration, money } from "../../lib/format";
import { useLocale, useText } from "../../lib/i18n";
import type { Timeline } from "../../transport/api-types";

/** How long the team worked: what each stretch of the turn reported at its end, as under the answer. */
const workedOf = (entries: Timeline["entries"]): number =>
  entries
    .filter((entry) => entry.type === "complete")
    .reduce((sum, entry) => sum + (entry.duration_ms ?? 0), 0);

export const TimelineSummary = ({ timeline: { summary, entries } }: { readonly timeline: Timeline }) => {
  const t = useText();
  const locale = useLocale();
  const figures: readonly (readonly [string, string, boolean])[] = [
    [t.timeline.worked, duration(workedOf(entries), locale), false],
    [t.timeline.span, duration(summary.duration_ms, locale), false],
    [t.timeline.events, count(summary.total_events, locale), false],
    [t.usage.kinds.input, count(summary.usage.input, locale), false],
    [t.usage.kinds.output, count(summary.usage.output, locale), false],
    [t.usage.cost, summary.cost === null ? "–" : money(summary.cost, locale), false],
    [t.timeline.retries, count(summary.retries, locale), false],
    [t.timeline.errors, count(summary.errors, locale), summary.errors > 0],
  ];
  return (
    <dl className="border-line bg-raised shadow-card grid grid-cols-2 gap-px overflow-hidden rounded-card border py-1 sm:grid-cols-4">
      {figures.map(([label, value, isBad]) => (
        <div key={label} className="px-4 py-2">
          <dt className="text-faint truncate text-xs">{label}</dt>
          <dd
            className={clsx(
              "mt-0.5 truncate text-[0.9375rem] font-semibold tabular-nums",
              isBad && "text-danger",
            )}
          >
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
};
