/** One row of the conversation. */

import { memo, type ReactNode } from "react";

import { Markdown } from "../../components/markdown/markdown";
import type { Item, StreamView, TurnView } from "../../events";
import { useText } from "../../lib/i18n";
import { ApprovalCard } from "./approval/approval-card";
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
      return null;
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

const Arriving = ({ stream }: { readonly stream: StreamView }) => {
  const t = useText();
  if (stream.kind === "thinking") return <Thinking content={stream.content} isArriving />;
  return (
    <div className="py-1" data-arriving="">
      <Markdown text={stream.content} copyLabels={t.common.copyLabels} />
    </div>
  );
};
