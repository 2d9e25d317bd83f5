/** Says aloud what happens in the conversation, once for each thing that matters. */

import type { SessionView } from "../../events";
import { useText } from "../../lib/i18n";
import { answerOf } from "./rows";

export const Announcer = ({ view }: { readonly view: SessionView }) => {
  const t = useText();
  const turn = view.turns.at(-1);
  const said = (): string => {
    if (turn === undefined) return "";
    if (turn.items.some((item) => item.kind === "approval" && item.state === "pending"))
      return t.chat.announceApproval;
    if (turn.status === "running") return t.chat.working;
    if (turn.status === "success") return `${t.chat.announceAnswer} ${answerOf(turn)?.content ?? ""}`;
    return turn.status === "failed" ? t.chat.announceFailed : "";
  };
  return (
    <p aria-live="polite" className="sr-only">
      {said()}
    </p>
  );
};
