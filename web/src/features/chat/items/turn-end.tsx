/** The foot of a turn: what it cost, and what can be done with its answer. */

import { CircleStop, GanttChart, RotateCcw, ThumbsDown, ThumbsUp } from "lucide-react";

import { CopyButton } from "../../../components/copy-button";
import { IconButton } from "../../../components/icon-button";
import { toast } from "../../../components/toaster";
import { Tooltip } from "../../../components/tooltip";
import type { TurnView } from "../../../events";
import { count, duration, money } from "../../../lib/format";
import { useLocale, useText } from "../../../lib/i18n";
import { api } from "../../../transport/api";
import { useChannel } from "../../../transport/channel";
import { useChat } from "../context";
import { answerOf, questionOf } from "../rows";

export const TurnEnd = ({ turn }: { readonly turn: TurnView }) => {
  const t = useText();
  const { ask, openTimeline } = useChat();
  const answer = answerOf(turn);
  const question = questionOf(turn);
  return (
    <footer className="flex flex-wrap items-center gap-x-3 gap-y-1 pt-1 pb-4">
      {turn.status === "cancelled" && !isSetAside(turn) && (
        <p className="text-muted flex items-center gap-1.5 text-[0.8125rem]">
          <CircleStop className="size-4" /> {t.chat.stopped}
        </p>
      )}
      <div className="-ml-1.5 flex items-center gap-0.5">
        {answer !== undefined && (
          <CopyButton value={answer.content} label={t.chat.copyAnswer} doneLabel={t.common.copied} />
        )}
        {question !== undefined && (
          <IconButton
            label={t.chat.regenerate}
            size="small"
            onClick={() => ask(question.content, question.target_agent_id)}
          >
            <RotateCcw className="size-3.5" />
          </IconButton>
        )}
        {answer !== undefined && answer.message_id !== null && <Feedback messageId={answer.message_id} />}
        {turn.turn_id !== null && (
          <IconButton label={t.timeline.open} size="small" onClick={() => openTimeline(turn.turn_id ?? "")}>
            <GanttChart className="size-3.5" />
          </IconButton>
        )}
      </div>
      <TurnCost turn={turn} />
    </footer>
  );
};

/** The end of such a turn has words of its own. */
const isSetAside = (turn: TurnView): boolean =>
  turn.items.some((item) => item.kind === "approval" && item.state === "set_aside");

const TurnCost = ({ turn }: { readonly turn: TurnView }) => {
  const t = useText();
  const locale = useLocale();
  const tokens = turn.usage.input + turn.usage.output;
  const facts = [
    tokens > 0 && t.usage.tokens(count(tokens, locale)),
    turn.cost !== null && Number(turn.cost) > 0 && money(turn.cost, locale),
  ].filter((fact) => fact !== false);
  return (
    <p className="text-faint text-xs tabular-nums">
      {turn.duration_ms !== null && (
        <Tooltip label={t.timeline.workedHint}>
          <span>{duration(turn.duration_ms, locale)}</span>
        </Tooltip>
      )}
      {turn.duration_ms !== null && facts.length > 0 && " · "}
      {facts.join(" · ")}
    </p>
  );
};

const Feedback = ({ messageId }: { readonly messageId: string }) => {
  const t = useText();
  const { sessionId } = useChat();
  const rating = useChannel((state) => state.view.feedback[messageId]?.rating ?? 0);
  const rate = (wish: -1 | 1): void => {
    api
      .giveFeedback(sessionId, messageId, rating === wish ? 0 : wish)
      .catch(() => toast(t.common.failed, "danger"));
  };
  return (
    <>
      <IconButton label={t.chat.good} size="small" aria-pressed={rating > 0} onClick={() => rate(1)}>
        <ThumbsUp className="size-3.5" />
      </IconButton>
      <IconButton label={t.chat.bad} size="small" aria-pressed={rating < 0} onClick={() => rate(-1)}>
        <ThumbsDown className="size-3.5" />
      </IconButton>
    </>
  );
};
