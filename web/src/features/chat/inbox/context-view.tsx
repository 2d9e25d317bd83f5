/** The conversation around a request, to read: what was said, which tools ran, the first rows of tables. */

import { useEffect, useState } from "react";

import { Markdown } from "../../../components/markdown/markdown";
import { Notice } from "../../../components/notice";
import { Skeleton } from "../../../components/skeleton";
import { type DatasetItem, fold, fromWire, type Item, type SessionView } from "../../../events";
import { useText } from "../../../lib/i18n";
import { visible } from "../../../lib/visible";
import { api } from "../../../transport/api";
import { ToolCard } from "../items/tool-card";

type Loaded = SessionView | "loading" | "failed";

export const ContextView = ({ approvalId }: { readonly approvalId: string }) => {
  const t = useText();
  const [view, setView] = useState<Loaded>("loading");
  useEffect(() => {
    let isGone = false;
    api.approvalContext(approvalId).then(
      ({ events }) => !isGone && setView(fold(events.map(fromWire))),
      () => !isGone && setView("failed"),
    );
    return () => {
      isGone = true;
    };
  }, [approvalId]);
  if (view === "loading") return <Skeleton className="h-24 w-full" />;
  if (view === "failed") return <Notice tone="danger">{t.common.failed}</Notice>;
  return (
    <section
      aria-label={t.inbox.context}
      className="border-line mt-1 flex flex-col gap-2 rounded-lg border px-3 py-2"
    >
      {view.turns
        .flatMap((turn) => turn.items)
        .map((item) => (
          <Spoken key={item.event_id} item={item} />
        ))}
    </section>
  );
};

const Spoken = ({ item }: { readonly item: Item }) => {
  const t = useText();
  switch (item.kind) {
    case "user_message":
      return (
        <p className="bg-sunken rounded-lg px-3 py-2 text-sm break-words whitespace-pre-wrap">
          {visible(item.content)}
        </p>
      );
    case "assistant_message":
      return item.content === "" ? null : <Markdown text={item.content} copyLabels={t.common.copyLabels} />;
    case "tool":
      return <ToolCard item={item} />;
    case "dataset":
      return <FirstRows item={item} />;
    default:
      return null;
  }
};

const FirstRows = ({ item }: { readonly item: DatasetItem }) => (
  <section aria-label={item.title || item.name} tabIndex={0} className="overflow-x-auto">
    <table className="text-[0.8125rem]">
      <caption className="text-muted pb-1 text-left">{item.title || item.name}</caption>
      <thead>
        <tr>
          {item.columns.map((column) => (
            <th key={column.name} scope="col" className="text-muted pr-4 text-left font-medium">
              {column.label || column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {item.first_rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a stored table never change places
          <tr key={index}>
            {item.columns.map((column, place) => (
              <td key={column.name} className="pr-4 tabular-nums">
                {String(row[place] ?? "")}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
