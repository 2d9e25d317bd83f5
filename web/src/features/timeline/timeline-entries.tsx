/** The events of a turn as bars over time; each opens to show what it carried. */

import clsx from "clsx";
import { type CSSProperties, useState } from "react";

import { AgentAvatar } from "../../components/agent-avatar";
import { Disclosure } from "../../components/disclosure";
import { Switch } from "../../components/switch";
import { ValueView } from "../../components/value-view";
import { count, duration, money } from "../../lib/format";
import { useLocale, useText } from "../../lib/i18n";
import { safeColor } from "../../lib/safe";
import type { Timeline, TimelineEntry } from "../../transport/api-types";
import { faceOf, useDirectory } from "../../transport/directory";
import { barOf, spanOf, ticksOf } from "./bars";

const DEEPEST = 6;

export const TimelineEntries = ({ timeline }: { readonly timeline: Timeline }) => {
  const t = useText();
  const locale = useLocale();
  const [isInternalShown, setIsInternalShown] = useState(true);
  const span = spanOf(timeline.entries, timeline.summary.duration_ms);
  const entries = timeline.entries.filter((entry) => isInternalShown || !entry.is_internal);
  return (
    <>
      <div className="mt-5 mb-2">
        <Switch label={t.timeline.internal} isOn={isInternalShown} onChange={setIsInternalShown} />
      </div>
      <div
        aria-hidden="true"
        className="text-faint relative ml-[calc(44%+1.5rem)] hidden h-5 text-2xs tabular-nums sm:block"
      >
        {ticksOf(span).map((tick) => (
          <span
            key={tick}
            className="absolute -translate-x-1/2 first:translate-x-0"
            style={{ left: `${(100 * tick) / span}%` }}
          >
            {duration(tick, locale)}
          </span>
        ))}
      </div>
      <ol className="border-line divide-line divide-y border-y">
        {entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an entry is known by its place
          <li key={index}>
            <Entry entry={entry} span={span} />
          </li>
        ))}
      </ol>
    </>
  );
};

const Entry = ({ entry, span }: { readonly entry: TimelineEntry; readonly span: number }) => {
  const t = useText();
  const locale = useLocale();
  const directory = useDirectory();
  const face = entry.agent_id === null ? null : faceOf(entry.agent_id, directory);
  const { left, width } = barOf(entry, span);
  const color = { "--agent": safeColor(face?.color) ?? "var(--color-faint)" } as CSSProperties;
  const tokens = entry.usage === null ? 0 : entry.usage.input + entry.usage.output;
  return (
    <Disclosure
      summaryClassName="py-1.5 hover:bg-hover/60 rounded-md"
      summary={
        <span className="grid min-w-0 flex-1 items-center gap-x-3 sm:grid-cols-[44%_1fr]">
          <span
            className="flex min-w-0 items-center gap-2 pl-[var(--indent)]"
            style={{ "--indent": `${Math.min(entry.depth, DEEPEST) * 0.75}rem` } as CSSProperties}
          >
            {face === null ? <span className="size-5 shrink-0" /> : <AgentAvatar {...face} size="small" />}
            <span
              className={clsx("truncate text-[0.8125rem]", entry.is_internal ? "text-muted" : "font-medium")}
            >
              {entry.label}
            </span>
            {entry.duration_ms !== null && (
              <span className="text-faint ml-auto shrink-0 text-xs tabular-nums">
                {duration(entry.duration_ms, locale)}
              </span>
            )}
          </span>
          <span className="bg-sunken relative hidden h-2.5 rounded-full sm:block" style={color}>
            <span
              className="absolute inset-y-0 rounded-full bg-(--agent)"
              style={{ left: `${left}%`, width: `${width}%` }}
            />
          </span>
        </span>
      }
    >
      <div className="flex flex-col gap-2 pt-1 pb-3 pl-6">
        <p className="text-faint text-xs tabular-nums">
          {[
            entry.type,
            t.timeline.at(duration(entry.at_ms, locale)),
            tokens > 0 && t.usage.tokens(count(tokens, locale)),
            entry.cost !== null && money(entry.cost, locale),
            entry.path,
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
        <ValueView value={entry.details} />
      </div>
    </Disclosure>
  );
};
