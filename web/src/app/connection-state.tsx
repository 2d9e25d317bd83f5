/** Whether the page is in touch with the server. Said only when it is not. */

import { Wifi, WifiOff } from "lucide-react";

import { Pill } from "../components/pill";
import { Spinner } from "../components/spinner";
import { useText } from "../lib/i18n";
import { type ConnectionStatus, useConnection } from "../transport/socket";

export const ConnectionState = () => {
  const t = useText();
  const { status, attempt } = useConnection();
  return (
    <span role="status" data-connection={status} className="inline-flex">
      <Indicator status={status} isFirst={attempt === 0} />
      <span className="sr-only">{t.connection[status]}</span>
    </span>
  );
};

const Indicator = ({ status, isFirst }: { readonly status: ConnectionStatus; readonly isFirst: boolean }) => {
  const t = useText();
  if (status === "online") return <Wifi aria-hidden="true" className="text-ok mx-1 size-4" />;
  if (status === "connecting" && isFirst) return <Spinner className="text-faint mx-1" />;
  return (
    <Pill tone="danger" aria-hidden="true">
      <WifiOff className="size-3.5" />
      <span className="hidden sm:inline">{t.connection[status]}</span>
    </Pill>
  );
};
