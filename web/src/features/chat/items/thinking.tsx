/** What a model thought: folded away, open while it arrives. */

import { Brain } from "lucide-react";

import { Disclosure } from "../../../components/disclosure";
import { Markdown } from "../../../components/markdown/markdown";
import { useText } from "../../../lib/i18n";

export interface ThinkingProps {
  readonly content: string;
  readonly isRedacted?: boolean;
  readonly isArriving?: boolean;
}

export const Thinking = ({ content, isRedacted = false, isArriving = false }: ThinkingProps) => {
  const t = useText();
  const title = (
    <span className="flex min-w-0 items-center gap-1.5">
      <Brain className="size-3.5 shrink-0" />
      {isRedacted ? t.chat.thoughtHidden : isArriving ? t.chat.thinking : t.chat.thought}
    </span>
  );
  if (isRedacted && content === "") {
    return <p className="text-faint flex items-center gap-2 py-1.5 text-[0.8125rem]">{title}</p>;
  }
  return (
    <Disclosure
      summary={title}
      isOpenAtFirst={isArriving}
      className="py-1"
      summaryClassName="text-faint hover:text-ink w-auto! rounded-md py-0.5 text-[0.8125rem] font-medium transition-colors"
    >
      <div className="border-line text-muted mt-1.5 ml-1.5 border-l-2 pl-4 text-sm [&_.prose-batuta]:text-muted [&_.prose-batuta]:text-sm">
        <Markdown text={content} copyLabels={t.common.copyLabels} />
      </div>
    </Disclosure>
  );
};
