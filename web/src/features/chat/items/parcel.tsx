/** A message on its way: seen by the person, not yet by the log. */

import { CircleAlert } from "lucide-react";

import { Button } from "../../../components/button";
import { Spinner } from "../../../components/spinner";
import { useText } from "../../../lib/i18n";
import type { Parcel } from "../../../transport/outbox";
import { giveUp, sendAgain } from "../../../transport/sending";
import { UserBubble } from "./user-message";

export const ParcelRow = ({ parcel }: { readonly parcel: Parcel }) => {
  const t = useText();
  const id = parcel.message.client_message_id;
  return (
    <div className="flex flex-col items-end pt-6 pb-3">
      <div className="flex w-full justify-end opacity-70">
        <UserBubble>{parcel.message.text}</UserBubble>
      </div>
      {parcel.state === "refused" ? (
        <div role="alert" className="mt-1.5 flex flex-wrap items-center justify-end gap-2 text-xs">
          <span className="text-danger flex items-center gap-1.5">
            <CircleAlert className="size-3.5" /> {parcel.problem?.detail ?? t.common.failed}
          </span>
          <Button size="small" onClick={() => sendAgain(id)}>
            {t.chat.tryAgain}
          </Button>
          <Button size="small" look="quiet" onClick={() => giveUp(id)}>
            {t.common.discard}
          </Button>
        </div>
      ) : (
        <p className="text-faint mt-1 flex items-center gap-1.5 text-xs">
          <Spinner className="size-3!" /> {t.chat.sending}
        </p>
      )}
    </div>
  );
};
