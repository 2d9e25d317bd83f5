/** What a colleague did that an answer refers to: the task, the answer to it, and its sources in turn. */

import { Markdown } from "../../components/markdown/markdown";
import { SourceLinks, type SourceLinksProps } from "../../components/source-links";
import { type Work, withMarks } from "../../events";
import { useText } from "../../lib/i18n";

export interface ColleagueWorkProps extends Pick<SourceLinksProps, "sources" | "onOpen"> {
  readonly work: Work;
  readonly name: string;
}

export const ColleagueWork = ({ work: { step, answer }, name, sources, onOpen }: ColleagueWorkProps) => {
  const t = useText();
  const said = answer === undefined ? (step.result ?? "") : withMarks(answer.content, answer.citations);
  return (
    <>
      <h3 className="text-faint text-xs font-medium">{t.sources.task}</h3>
      <p className="mt-1.5 text-sm leading-relaxed break-words">{step.task}</p>
      <h3 className="text-faint mt-6 text-xs font-medium">{t.sources.answer(name)}</h3>
      <div className="border-line bg-raised mt-2 rounded-xl border px-4 py-3">
        <Markdown text={said} copyLabels={t.common.copyLabels} onCitation={onOpen} />
        {sources.length > 0 && <SourceLinks label={t.chat.sources} sources={sources} onOpen={onOpen} />}
      </div>
    </>
  );
};
