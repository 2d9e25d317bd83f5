/** What else a turn tells: errors, refusals, pauses, and events without a form of their own. */

import { CirclePause, RotateCcw } from "lucide-react";

import { Button } from "../../../components/button";
import { Disclosure } from "../../../components/disclosure";
import { Notice } from "../../../components/notice";
import { ValueView } from "../../../components/value-view";
import type { ErrorItem, OtherItem, PauseItem, RefusalItem, TurnView } from "../../../events";
import { useText } from "../../../lib/i18n";
import { inWords } from "../../../lib/words";
import { useChat } from "../context";
import { questionOf } from "../rows";

export const ErrorCard = ({ item, turn }: { readonly item: ErrorItem; readonly turn: TurnView }) => {
  const t = useText();
  const { ask } = useChat();
  const question = questionOf(turn);
  const isFinal = turn.items.findLast((other) => other.kind === "error") === item;
  const canRetry = isFinal && turn.status === "failed" && question !== undefined;
  return (
    <div className="py-1.5">
      <Notice
        tone="danger"
        role="alert"
        actions={
          canRetry && (
            <Button size="small" onClick={() => ask(question.content, question.target_agent_id)}>
              <RotateCcw className="size-3.5" /> {t.chat.tryAgain}
            </Button>
          )
        }
      >
        <p className="font-medium">{t.chat.errorTitles[item.category]}</p>
        <p className="text-muted mt-0.5">{item.message}</p>
        <p className="text-muted mt-1 font-mono text-xs">{item.code}</p>
      </Notice>
    </div>
  );
};

export const RefusalCard = ({ item }: { readonly item: RefusalItem }) => {
  const t = useText();
  return (
    <div className="py-1.5">
      <Notice tone="warn">
        <p className="font-medium">{t.chat.refused}</p>
        {item.reason !== "" && <p className="text-muted mt-0.5">{item.reason}</p>}
      </Notice>
    </div>
  );
};

export const PauseLine = ({ item }: { readonly item: PauseItem }) => {
  const t = useText();
  return (
    <p className="text-muted flex items-center gap-2 py-1.5 text-[0.8125rem]">
      <CirclePause className="size-4 shrink-0" /> {t.chat.paused(item.reason)}
    </p>
  );
};

export const OtherLine = ({ item }: { readonly item: OtherItem }) => (
  <Disclosure
    className="py-1"
    summaryClassName="text-faint hover:text-ink w-auto! rounded-md text-[0.8125rem]"
    summary={<span className="truncate">{inWords(item.event_type)}</span>}
  >
    <ValueView value={item.payload} className="mt-1.5" />
  </Disclosure>
);
