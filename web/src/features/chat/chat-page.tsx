/** A conversation with the team: what was said, and where to say more. */

import { useCallback, useEffect, useMemo, useState } from "react";
import { useShallow } from "zustand/react/shallow";

import { useMarkdownReady } from "../../components/markdown/markdown";
import { toast } from "../../components/toaster";
import { type Attachment, tablesOf } from "../../events";
import { useText } from "../../lib/i18n";
import { useAccount } from "../../transport/account";
import { api } from "../../transport/api";
import { openChannel, useChannel } from "../../transport/channel";
import { useCompanies } from "../../transport/companies";
import { asProblem } from "../../transport/problem";
import { sendMessage, stopTurn, useOutbox } from "../../transport/sending";
import { createSession } from "../../transport/session-list";
import { attachFile } from "../../transport/transfers";
import { Announcer } from "./announcer";
import { ChatSkeleton, SessionMissing } from "./chat-states";
import { Composer, focusComposer } from "./composer/composer";
import { useAttachments } from "./composer/use-attachments";
import { useDraft } from "./composer/use-draft";
import { type ChatActions, ChatContext } from "./context";
import { MessageList } from "./message-list";
import { PlanStrip } from "./plan-strip";
import { ReadingStrip } from "./reading-strip";
import { activityOf, rowsOf } from "./rows";
import type { Place } from "./use-place";
import { Welcome } from "./welcome";

export interface ChatPageProps {
  readonly sessionId: string | null;
  /** What to show first; without it the end. */
  readonly place: Place | null;
  readonly onOpenSession: (id: string | null, place?: number) => void;
  readonly onOpenTimeline: (turnId: string) => void;
  readonly onOpenSource: ChatActions["openSource"];
  readonly onOpenFile: ChatActions["openFile"];
}

export const ChatPage = ({
  sessionId,
  place,
  onOpenSession,
  onOpenTimeline,
  onOpenSource,
  onOpenFile,
}: ChatPageProps) => {
  const t = useText();
  const channel = useChannel();
  const settings = useAccount((state) => state.me?.settings);
  const [target, setTarget] = useState<string | null>(settings?.default_agent_id ?? null);
  const [folder, setFolder] = useState<string | null>(null);
  const [isThinking, setIsThinking] = useState(settings?.enable_thinking ?? false);
  const company = useCompanies().current?.id ?? null;
  const [draft, setDraft] = useDraft(sessionId);
  const isReadable = useMarkdownReady();
  const pendingMessages = useOutbox((state) => state.pendingMessages);

  useEffect(() => (sessionId === null ? undefined : openChannel(sessionId)), [sessionId]);

  const send = useCallback(
    async (text: string, targetAgentId: string | null, attachments: readonly Attachment[] = []) => {
      try {
        const id = sessionId ?? (await createSession()).session_id;
        sendMessage(id, text, {
          target_agent_id: targetAgentId,
          enable_thinking: isThinking,
          company,
          attachments,
          folder,
        });
        if (sessionId === null) onOpenSession(id);
        return true;
      } catch (error) {
        toast(asProblem(error).detail || t.common.failed, "danger");
        return false;
      }
    },
    [sessionId, isThinking, company, folder, onOpenSession, t],
  );
  const sendDraft = useCallback(
    async (text: string, attached: readonly Attachment[]): Promise<void> => {
      setDraft("");
      if (await send(text, target, attached)) return;
      setDraft(text);
      for (const file of attached) attachFile(file, sessionId ?? "new");
    },
    [send, setDraft, target, sessionId],
  );
  const attachments = useAttachments(sessionId, sendDraft);

  const isShown = sessionId !== null && channel.session_id === sessionId;
  const view = channel.view;
  const tables = useChannel(useShallow((state) => tablesOf(state.view)));
  const rows = useMemo(
    () =>
      isShown
        ? rowsOf(
            view,
            pendingMessages.filter((pending) => pending.session_id === sessionId),
          )
        : [],
    [isShown, view, pendingMessages, sessionId],
  );
  const actions = useMemo(
    () => ({
      sessionId: sessionId ?? "",
      agents: view.agents,
      tables,
      openTimeline: onOpenTimeline,
      openSource: onOpenSource,
      openFile: onOpenFile,
      openPlace: (number: number) => onOpenSession(sessionId, number),
      withdraw: (turnId: string) => {
        if (sessionId === null || turnId === "") return;
        api.withdraw(sessionId, turnId).catch((error: unknown) => toast(asProblem(error).detail, "danger"));
      },
      ask: (text: string, agentId: string | null) => void send(text, agentId),
      edit: (text: string, agentId: string | null) => {
        setDraft(text);
        setTarget(agentId);
        focusComposer();
      },
    }),
    [sessionId, view.agents, tables, onOpenTimeline, onOpenSource, onOpenFile, onOpenSession, send, setDraft],
  );
  const isRunning = isShown && activityOf(view) === "running";
  const stop = (): void => {
    if (sessionId === null) return;
    stopTurn(sessionId).catch((error: unknown) => toast(asProblem(error).detail, "danger"));
  };

  if (isShown && channel.problem !== null) return <SessionMissing onLeave={() => onOpenSession(null)} />;
  const isUnknown = rows.length === 0 && (!isShown || channel.phase === "loading");
  const isLoading = sessionId !== null && (isUnknown || !isReadable);
  return (
    <ChatContext value={actions}>
      {isLoading ? (
        <ChatSkeleton />
      ) : rows.length === 0 ? (
        <Welcome onAsk={(text) => void send(text, null)} />
      ) : (
        <MessageList rows={rows} sessionId={sessionId ?? ""} place={place} />
      )}
      <div className="mx-auto w-full max-w-[50rem] px-4 pb-[max(0.75rem,env(safe-area-inset-bottom))]">
        {isShown && <ReadingStrip view={view} />}
        {isShown && <PlanStrip view={view} />}
        <Composer
          draft={draft}
          onDraft={setDraft}
          onSend={attachments.sendWith}
          attachments={attachments}
          onStop={isRunning ? stop : null}
          target={target}
          onTarget={setTarget}
          folder={folder}
          onFolder={setFolder}
          isThinking={isThinking}
          onThinking={setIsThinking}
        />
        <p className="text-faint mt-2 hidden text-center text-xs sm:block">{t.composer.disclaimer}</p>
      </div>
      {isShown && <Announcer view={view} />}
    </ChatContext>
  );
};
