/** Arguments as a table; what a person changed is marked. */

import { laidOut } from "../../../components/value-view";
import { useText } from "../../../lib/i18n";
import { inWords } from "../tool-words";
import type { Args } from "./args-form";

export const ArgsTable = ({ args, before }: { readonly args: Args; readonly before: Args | null }) => {
  const t = useText();
  return (
    <dl className="border-line divide-line divide-y overflow-hidden rounded-lg border text-[0.8125rem]">
      {Object.entries(args).map(([name, value]) => {
        const old = before === null ? value : before[name];
        const isChanged = laidOut(old) !== laidOut(value);
        return (
          <div key={name} className="grid grid-cols-[minmax(6rem,30%)_1fr] gap-3 px-3.5 py-2">
            <dt className="text-muted break-words">{inWords(name)}</dt>
            <dd className="min-w-0 font-medium break-words whitespace-pre-wrap">
              {isChanged && old !== undefined && (
                <del className="text-faint mr-2 font-normal">
                  <span className="sr-only">{t.approval.before} </span>
                  {laidOut(old)}
                </del>
              )}
              {laidOut(value)}
            </dd>
          </div>
        );
      })}
    </dl>
  );
};
