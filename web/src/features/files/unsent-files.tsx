/** Files of this tab that are on their way, or did not arrive. */

import { X } from "lucide-react";

import { IconButton } from "../../components/icon-button";
import { ProgressBar } from "../../components/progress-bar";
import { useLocale } from "../../lib/i18n";
import { useFileText } from "../../lib/i18n/files";
import { removeTransfer, type Transfer, useTransfers } from "../../transport/transfers";

export const UnsentFiles = () => {
  const transfers = useTransfers((state) => state.transfers);
  const shown = transfers.filter(
    ({ state, draft }) => draft === null && (state === "sending" || state === "failed"),
  );
  if (shown.length === 0) return null;
  return (
    <ul className="flex flex-col gap-2">
      {shown.map((transfer) => (
        <li
          key={transfer.id}
          className="border-line bg-sunken flex items-center gap-3 rounded-xl border px-3.5 py-2.5"
        >
          <Standing transfer={transfer} />
        </li>
      ))}
    </ul>
  );
};

const Standing = ({ transfer }: { readonly transfer: Transfer }) => {
  const t = useFileText();
  const { language } = useLocale();
  const { id, name, sent_bytes, size_bytes, state, reason } = transfer;
  const percent = size_bytes === 0 ? 100 : Math.floor((100 * sent_bytes) / size_bytes);
  const label = t.uploading(percent);
  return (
    <>
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm font-medium">{name}</p>
        {state === "failed" ? (
          <p role="alert" className="text-danger text-xs">
            {reason?.[language] ?? reason?.[""] ?? t.failed}
          </p>
        ) : (
          <>
            <p className="text-muted text-xs">{label}</p>
            <ProgressBar label={label} percent={percent} />
          </>
        )}
      </div>
      <IconButton label={t.detach(name)} size="small" onClick={() => removeTransfer(id)}>
        <X className="size-4" />
      </IconButton>
    </>
  );
};
