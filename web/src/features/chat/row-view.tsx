/** One row of the conversation. */

import { lazy, memo, type ReactNode, Suspense } from "react";

import { Markdown } from "../../components/markdown/markdown";
import { Skeleton } from "../../components/skeleton";
import type { ChartItem, DatasetItem, Item, StreamView, TurnView } from "../../events";
import { useText } from "../../lib/i18n";
import { ApprovalCard } from "./approval/approval-card";
import { useChat } from "./context";
import { AgentBadge } from "./items/agent-badge";
import { AssistantMessage } from "./items/assistant-message";
import { Handoff } from "./items/handoff";
import { ErrorCard, OtherLine, PauseLine, RefusalCard } from "./items/other-items";
import { PendingMessageRow } from "./items/pending-message";
import { PlanCard } from "./items/plan-card";
import { StepAnswer } from "./items/step-answer";
import { Thinking } from "./items/thinking";
import { ToolCard } from "./items/tool-card";
import { TurnEnd } from "./items/turn-end";
import { UserMessage } from "./items/user-message";
import { Working } from "./items/working";
import type { Row } from "./rows";

// Tables and charts weigh more than the rest of the page: they come when the first one is shown.
const TableCard = lazy(() => import("../../data/table-card"));
const ChartCard = lazy(() => import("../../data/chart-card"));

export const RowView = memo(({ row }: { readonly row: Row }) => {
  switch (row.kind) {
    case "item":
      return (
        <>
          {row.agent !== null && <AgentBadge id={row.agent} />}
          {itemView(row.item, row.turn, row.isConcluded)}
        </>
      );
    case "stream":
      return (
        <>
          {row.agent !== null && <AgentBadge id={row.agent} />}
          <Arriving stream={row.stream} />
        </>
      );
    case "working":
      return <Working turn={row.turn} />;
    case "end":
      return <TurnEnd turn={row.turn} />;
    case "pending":
      return <PendingMessageRow pending={row.pending} />;
  }
});

const itemView = (item: Item, turn: TurnView, isConcluded: boolean): ReactNode => {
  switch (item.kind) {
    case "user_message":
      return <UserMessage item={item} />;
    case "thinking":
      return <Thinking content={item.content} isRedacted={item.is_redacted} />;
    case "assistant_message":
      return isConcluded ? (
        <StepAnswer item={item} turn={turn} />
      ) : (
        <AssistantMessage item={item} turn={turn} />
      );
    case "tool":
      return <ToolCard item={item} />;
    case "approval":
      return <ApprovalCard item={item} />;
    case "dataset":
    case "chart":
      return <DataItem item={item} />;
    case "plan":
      return <PlanCard item={item} />;
    case "handoff":
      return <Handoff item={item} />;
    case "pause":
      return <PauseLine item={item} />;
    case "refusal":
      return <RefusalCard item={item} />;
    case "error":
      return <ErrorCard item={item} turn={turn} />;
    case "other":
      return <OtherLine item={item} />;
  }
};

const DataItem = ({ item }: { readonly item: DatasetItem | ChartItem }) => {
  const { sessionId } = useChat();
  return (
    <Suspense fallback={<Skeleton className="my-2 h-48 w-full" />}>
      {item.kind === "dataset" ? (
        <TableCard item={item} sessionId={sessionId} />
      ) : (
        <ChartCard item={item} sessionId={sessionId} />
      )}
    </Suspense>
  );
};

const Arriving = ({ stream }: { readonly stream: StreamView }) => {
  const t = useText();
  if (stream.kind === "thinking") return <Thinking content={stream.content} isArriving />;
  return (
    <div className="py-1" data-arriving="">
      <Markdown text={stream.content} copyLabels={t.common.copyLabels} />
    </div>
  );
};
