/** A tool call: what was asked, how it stands, what came back. */

import clsx from "clsx";
import { CircleCheck, CircleX, Hand, Unplug, Wrench } from "lucide-react";
import type { ReactNode } from "react";

import { CopyButton } from "../../../components/copy-button";
import { Disclosure } from "../../../components/disclosure";
import { Spinner } from "../../../components/spinner";
import { laidOut, ValueView } from "../../../components/value-view";
import { RecordLink } from "../../../data/record-link";
import type { ProgressView, RecordReference, ToolItem } from "../../../events";
import { duration } from "../../../lib/format";
import { useLocale, useText } from "../../../lib/i18n";
import { named } from "../../../lib/words";
import { summaryOf } from "../tool-words";

const STATES: Readonly<Record<ToolItem["state"], ReactNode>> = {
  running: <Spinner className="text-accent" />,
  succeeded: <CircleCheck className="text-ok size-4 shrink-0" />,
  failed: <CircleX className="text-danger size-4 shrink-0" />,
  interrupted: <Hand className="text-faint size-4 shrink-0" />,
};

export const ToolCard = ({ item }: { readonly item: ToolItem }) => {
  const t = useText();
  const locale = useLocale();
  const Icon = item.is_server_side ? Unplug : Wrench;
  const name = named(item.tool_name, t.tools.names);
  const record = recordOf(item);
  return (
    <section
      aria-label={t.tools.card(name, t.tools.states[item.state])}
      data-state={item.state}
      className="bg-raised border-line shadow-card my-1 rounded-xl border"
    >
      <Disclosure
        summaryClassName="px-3 py-2 rounded-xl hover:bg-hover/60 transition-colors"
        summary={
          <>
            <Icon aria-hidden="true" className="text-faint size-3.5 shrink-0" />
            <span className="max-w-[60%] shrink-0 truncate text-[0.8125rem] font-medium">{name}</span>
            <span className="text-faint min-w-0 flex-1 truncate text-xs">
              {summaryOf(item.args, t.tools, locale)}
            </span>
            {item.duration_ms !== null && (
              <span className="text-faint shrink-0 text-xs tabular-nums">
                {duration(item.duration_ms, locale)}
              </span>
            )}
            {STATES[item.state]}
          </>
        }
      >
        <div className="border-line flex flex-col gap-3 border-t px-3 py-3">
          <Part title={t.tools.arguments} value={item.args} />
          {item.asked_args !== null && <Part title={t.tools.asked} value={item.asked_args} />}
          {item.error !== null && <Part title={t.tools.error} value={item.error} isDanger />}
          {item.content !== null && item.content !== "" && (
            <Part title={t.tools.result} value={item.content} />
          )}
          {Object.keys(item.details).length > 0 && <Part title={t.tools.details} value={item.details} />}
        </div>
      </Disclosure>
      {record !== null && (
        <p className="flex items-center gap-1.5 px-3 pb-2 text-xs">
          {record.label} <RecordLink reference={record.reference} />
        </p>
      )}
      {item.state === "running" && item.progress !== null && <Progress progress={item.progress} />}
    </section>
  );
};

/** The record that a write led to, if the tool tells one. */
const recordOf = (item: ToolItem): { label: string; reference: RecordReference } | null => {
  const record = item.details["record"];
  if (item.state !== "succeeded" || typeof record !== "object" || record === null) return null;
  const { entity, key, company, label } = record as Readonly<Record<string, unknown>>;
  if (typeof entity !== "string" || typeof key !== "string") return null;
  const reference = { entity, key, company: typeof company === "string" ? company : null, url: null };
  return { label: typeof label === "string" ? label : key, reference };
};

const Part = ({ title, value, isDanger = false }: { title: string; value: unknown; isDanger?: boolean }) => {
  const t = useText();
  return (
    <div>
      <div className="mb-1 flex h-6 items-center justify-between">
        <h4 className={clsx("text-xs font-medium", isDanger ? "text-danger" : "text-muted")}>{title}</h4>
        <CopyButton value={laidOut(value)} label={t.common.copy} doneLabel={t.common.copied} />
      </div>
      <ValueView value={value} />
    </div>
  );
};

const Progress = ({ progress }: { readonly progress: ProgressView }) => (
  <div className="px-3 pb-2.5">
    <progress
      aria-label={progress.message}
      value={progress.done ?? undefined}
      max={progress.total ?? undefined}
      className="[&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent [&::-moz-progress-bar]:bg-accent block h-1 w-full overflow-hidden rounded-full [&::-webkit-progress-value]:transition-all"
    />
    <p className="text-faint mt-1 text-xs">{progress.message}</p>
  </div>
);
