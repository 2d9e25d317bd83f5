/** The arguments of a call as a table; what a person changed is marked. */

import { Disclosure } from "../../../components/disclosure";
import { laidOut } from "../../../components/value-view";
import { isoMoment } from "../../../lib/days";
import { useLocale, useText } from "../../../lib/i18n";
import { visible } from "../../../lib/visible";
import { named } from "../../../lib/words";
import { type Args, membersOf, valueAt } from "./args-form";
import { blocksOf } from "./preview-blocks";

interface CallArgsProps {
  readonly args: Args;
  readonly before: Args | null;
  readonly preview: string | null;
}

/** The arguments of a call; where its preview shows field by field what it does, they are one click away. */
export const CallArgs = ({ args, before, preview }: CallArgsProps) => {
  const t = useText();
  const isShownByFields = blocksOf(preview ?? "").some((block) => block.kind === "table");
  if (!isShownByFields || before !== null) return <ArgsTable args={args} before={before} />;
  return (
    <Disclosure
      summary={t.approval.sent}
      summaryClassName="text-muted text-[0.8125rem] rounded-md py-1 hover:text-ink"
    >
      <ArgsTable args={args} before={before} />
    </Disclosure>
  );
};

const ArgsTable = ({ args, before }: { readonly args: Args; readonly before: Args | null }) => {
  const t = useText();
  const locale = useLocale();
  const shown = (value: unknown): string => isoMoment(value, locale) ?? visible(laidOut(value));
  return (
    <dl className="border-line divide-line divide-y overflow-hidden rounded-lg border text-[0.8125rem]">
      {membersOf(args).map((member) => {
        const { name, within, value } = member;
        const old = before === null ? value : valueAt(before, member);
        const isChanged = laidOut(old) !== laidOut(value);
        return (
          <div
            key={`${within ?? ""}.${name}`}
            className="grid grid-cols-[minmax(6rem,30%)_1fr] gap-3 px-3.5 py-2"
          >
            <dt className="text-muted break-words">{named(name, t.tools.fields)}</dt>
            <dd className="min-w-0 font-medium break-words whitespace-pre-wrap">
              {isChanged && old !== undefined && (
                <del className="text-faint mr-2 font-normal">
                  <span className="sr-only">{t.approval.before} </span>
                  {shown(old)}
                </del>
              )}
              {shown(value)}
            </dd>
          </div>
        );
      })}
    </dl>
  );
};
