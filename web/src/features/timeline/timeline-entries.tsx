/** The events of a turn as bars over time; each opens to show what it carried. */

import { useState } from "react";

import { Switch } from "../../components/switch";
import { duration } from "../../lib/format";
import { useLocale, useText } from "../../lib/i18n";
import type { Timeline } from "../../transport/api-types";
import { spanOf, ticksOf } from "./bars";
import { Entry } from "./timeline-entry";

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
        className="text-faint relative mr-[6.25rem] ml-[calc(46%+1.5rem)] hidden h-5 text-2xs tabular-nums sm:block"
      >
        {ticksOf(span).map((tick) => (
          <span
            key={tick}
            className="absolute -translate-x-1/2 whitespace-nowrap first:translate-x-0 last:data-[edge]:-translate-x-full"
            data-edge={tick > 0.9 * span ? "" : undefined}
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
