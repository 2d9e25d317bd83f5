/** The head of the conversation: its title, the model, the connection, and what it has used. */

import clsx from "clsx";
import { Cpu, PanelLeft } from "lucide-react";

import { IconButton } from "../components/icon-button";
import { Pill } from "../components/pill";
import { Tooltip } from "../components/tooltip";
import { UsagePopover } from "../features/chat";
import { useText } from "../lib/i18n";
import { useAccount } from "../transport/account";
import { useChannel } from "../transport/channel";
import { useSessionList } from "../transport/session-list";
import { CompanyPicker } from "./company-picker";
import { ConnectionState } from "./connection-state";

export interface TopBarProps {
  readonly sessionId: string | null;
  /** Of a page that is no conversation. */
  readonly title: string | null;
  /** Shows the sidebar; null while it is there. */
  readonly onSidebar: (() => void) | null;
}

export const TopBar = ({ sessionId, title: pageTitle, onSidebar }: TopBarProps) => {
  const t = useText();
  const channel = useChannel();
  const isShown = sessionId !== null && channel.session_id === sessionId;
  const listed = useSessionList((state) => state.items.find((item) => item.session_id === sessionId)?.title);
  const title =
    pageTitle ?? (sessionId === null ? t.sessions.new : (listed ?? (isShown ? channel.view.title : null)));
  return (
    <header className="border-line flex h-14 shrink-0 items-center gap-2 border-b px-3 sm:px-4">
      {onSidebar !== null && (
        <IconButton label={t.sessions.show} onClick={onSidebar}>
          <PanelLeft className="size-4.5" />
        </IconButton>
      )}
      <div className="min-w-0 flex-1">
        <h2 className="truncate text-[0.9375rem] leading-5 font-semibold tracking-tight">
          {title ?? t.sessions.untitled}
        </h2>
        <ModelLine />
      </div>
      <CompanyPicker />
      <ConnectionState />
      {isShown && <UsagePopover sessionId={sessionId} view={channel.view} />}
      <ModelLabel />
    </header>
  );
};

/** On a phone there is no room beside the title. */
const ModelLine = () => {
  const t = useText();
  const model = useAccount((state) => state.meta?.model);
  if (model === undefined) return null;
  return (
    <p
      className={clsx("truncate text-xs leading-4 sm:hidden", model.is_offline ? "text-warn" : "text-muted")}
    >
      {model.is_offline ? t.model.offline : model.label}
    </p>
  );
};

const ModelLabel = () => {
  const t = useText();
  const model = useAccount((state) => state.meta?.model);
  if (model === undefined) return null;
  return (
    <span className="hidden sm:inline-flex">
      <Tooltip label={model.is_offline ? t.model.offlineHint : t.model.hint(model.label)}>
        <Pill tone={model.is_offline ? "warn" : "neutral"} tabIndex={0} className="max-w-64">
          <Cpu aria-hidden="true" className="size-3.5 shrink-0" />
          <span className="truncate">{model.is_offline ? t.model.offline : model.label}</span>
        </Pill>
      </Tooltip>
    </span>
  );
};
