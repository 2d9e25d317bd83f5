/** One event of a turn: what it was, whose, how long, for how much; it opens to show what it carried. */

import clsx from "clsx";
import type { CSSProperties } from "react";

import { AgentAvatar } from "../../components/agent-avatar";
import { Disclosure } from "../../components/disclosure";
import { ValueView } from "../../components/value-view";
import { count, duration, money } from "../../lib/format";
import { useLocale, useText } from "../../lib/i18n";
import { safeColor } from "../../lib/safe";
import type { TimelineEntry } from "../../transport/api-types";
import { faceOf, useDirectory } from "../../transport/directory";
import { barOf } from "./bars";
import { labelOf, titleOf } from "./labels";

const DEEPEST = 6;

export const Entry = ({ entry, span }: { readonly entry: TimelineEntry; readonly span: number }) => {
  const t = useText();
  const locale = useLocale();
  const directory = useDirectory();
  const face = entry.agent_id === null ? null : faceOf(entry.agent_id, directory);
  const { left, width } = barOf(entry, span);
  const color = { "--agent": safeColor(face?.color) ?? "var(--color-faint)" } as CSSProperties;
  const tokens = entry.usage === null ? 0 : entry.usage.input + entry.usage.output;
  const spent = [
    tokens > 0 && t.usage.tokens(count(tokens, locale)),
    entry.cost !== null && Number(entry.cost) > 0 && money(entry.cost, locale),
  ]
    .filter(Boolean)
    .join(" · ");
  const said = [face?.name, labelOf(entry, t)].filter(Boolean).join(" · ");
  return (
    <Disclosure
      summaryClassName="py-1.5 hover:bg-hover/60 rounded-md"
      summary={
        <span className="grid min-w-0 flex-1 items-center gap-x-3 sm:grid-cols-[minmax(0,46%)_1fr_5.5rem]">
          <span
            className="flex min-w-0 items-center gap-2 pl-[var(--indent)]"
            style={{ "--indent": `${Math.min(entry.depth, DEEPEST) * 0.75}rem` } as CSSProperties}
          >
            {face === null ? <span className="size-5 shrink-0" /> : <AgentAvatar {...face} size="small" />}
            <span className="min-w-0 flex-1">
              <span
                className={clsx(
                  "block truncate text-[0.8125rem] leading-5",
                  entry.is_internal ? "text-muted" : "font-medium",
                )}
              >
                {titleOf(entry, t)}
              </span>
              {said !== "" && <span className="text-faint block truncate text-2xs leading-4">{said}</span>}
            </span>
            {entry.duration_ms !== null && (
              <span className="text-faint shrink-0 text-xs tabular-nums">
                {duration(entry.duration_ms, locale)}
              </span>
            )}
          </span>
          <span className="bg-sunken relative hidden h-2 rounded-full sm:block" style={color}>
            <span
              className="absolute inset-y-0 rounded-full bg-(--agent)"
              style={{ left: `${left}%`, width: `${width}%` }}
            />
          </span>
          <span className="text-faint ml-7 truncate text-2xs tabular-nums sm:ml-0 sm:text-right">
            {spent}
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
