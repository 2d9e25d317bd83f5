/** The answer to one step of a plan: folded away where the conclusion of the plan says the same. */

import { MessageSquareText } from "lucide-react";

import { Disclosure } from "../../../components/disclosure";
import { withTables } from "../../../events";
import { useText } from "../../../lib/i18n";
import { plainText } from "../../../lib/words";
import { useChat } from "../context";
import { AssistantMessage, type AssistantMessageProps } from "./assistant-message";

export const StepAnswer = ({ item, turn }: AssistantMessageProps) => {
  const t = useText();
  const { tables } = useChat();
  const words = plainText(withTables(item.content, [...tables, ...turn.items]));
  const summary = (
    <>
      <MessageSquareText aria-hidden="true" className="size-3.5 shrink-0" />
      <span className="shrink-0">{t.chat.stepAnswer}</span>
      <span className="text-faint min-w-0 flex-1 truncate font-normal">{words}</span>
    </>
  );
  return (
    <Disclosure
      summary={summary}
      className="py-1"
      summaryClassName="text-muted hover:text-ink rounded-md py-0.5 text-[0.8125rem] font-medium transition-colors"
    >
      <div className="border-line mt-1 ml-1.5 border-l-2 pl-4">
        <AssistantMessage item={item} turn={turn} />
      </div>
    </Disclosure>
  );
};
