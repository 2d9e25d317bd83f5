/** Where a message is written: text, slash commands, who is asked, and stop. */

import { ArrowUp, Brain, Square } from "lucide-react";
import { type KeyboardEvent, lazy, Suspense, useId, useRef, useState } from "react";

import { IconButton } from "../../../components/icon-button";
import { useText } from "../../../lib/i18n";
import { useDirectory } from "../../../transport/directory";
import { AgentPicker } from "./agent-picker";
import { AttachButton } from "./attach-button";
import { CommandList } from "./command-list";
import { commandsOf, completionsOf, moved, type SlashCommand } from "./completion";
import { ScopePicker } from "./scope-picker";
import type { Attachments } from "./use-attachments";

const AttachmentStrip = lazy(() => import("./attachment-strip"));

export interface ComposerProps {
  readonly draft: string;
  readonly onDraft: (text: string) => void;
  readonly onSend: (text: string) => void;
  readonly attachments: Attachments;
  readonly onStop: (() => void) | null;
  readonly target: string | null;
  readonly onTarget: (agentId: string | null) => void;
  /** The folder whose documents are asked about; nothing for all. */
  readonly folder: string | null;
  readonly onFolder: (folder: string | null) => void;
  readonly isThinking: boolean;
  readonly onThinking: (isThinking: boolean) => void;
}

export const COMPOSER_ID = "composer";
const MOST_LINES = 9;

export const Composer = (props: ComposerProps) => {
  const { draft, onDraft, onSend, onStop, attachments, target, onTarget, isThinking, onThinking } = props;
  const { folder, onFolder } = props;
  const t = useText();
  const listId = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const { agents } = useDirectory();
  const [isDismissed, setIsDismissed] = useState(false);
  const [active, setActive] = useState(0);
  const found = isDismissed ? [] : completionsOf(draft, commandsOf(agents));
  const chosen = Math.min(active, Math.max(found.length - 1, 0));

  const write = (text: string): void => {
    setIsDismissed(false);
    setActive(0);
    attachments.release();
    onDraft(text);
  };
  const pick = ({ command }: SlashCommand): void => {
    write(`${command} `);
    field.current?.focus();
  };
  const send = (): void => {
    const text = draft.trim();
    if (text !== "") onSend(text);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const entry = found[chosen];
    const keys: Record<string, (() => void) | undefined> =
      entry === undefined
        ? { Enter: event.shiftKey || isTouch() ? undefined : send }
        : {
            ArrowDown: () => setActive(moved(chosen, 1, found.length)),
            ArrowUp: () => setActive(moved(chosen, -1, found.length)),
            Enter: () => pick(entry),
            Tab: () => pick(entry),
            Escape: () => setIsDismissed(true),
          };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };

  return (
    <div className="relative">
      {found.length > 0 && <CommandList id={listId} commands={found} active={chosen} onPick={pick} />}
      <div className="bg-raised border-line-strong/50 focus-within:border-accent shadow-card rounded-2xl border transition-colors focus-within:shadow-[0_0_0_3px_var(--color-accent-soft)]">
        {attachments.files.length > 0 && (
          <Suspense>
            <AttachmentStrip files={attachments.files} isHeld={attachments.heldText !== null} />
          </Suspense>
        )}
        <textarea
          ref={field}
          id={COMPOSER_ID}
          rows={Math.min(draft.split("\n").length, MOST_LINES)}
          value={draft}
          onChange={(event) => write(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => attachments.add([...event.clipboardData.files])}
          placeholder={t.composer.placeholder}
          aria-label={t.composer.label}
          aria-autocomplete="list"
          aria-controls={found.length > 0 ? listId : undefined}
          aria-activedescendant={found.length > 0 ? `${listId}-${chosen}` : undefined}
          className="field-sizing-content block max-h-60 w-full resize-none bg-transparent px-4 pt-3.5 pb-1 leading-6 outline-none"
        />
        <div className="flex items-center gap-1 px-2 pb-2">
          <AttachButton onFiles={attachments.add} />
          <ScopePicker folder={folder} onFolder={onFolder} onFile={attachments.attach} />
          <AgentPicker value={target} onChange={onTarget} />
          <IconButton
            label={t.composer.think}
            aria-pressed={isThinking}
            onClick={() => onThinking(!isThinking)}
            className="size-8!"
          >
            <Brain className="size-4" />
          </IconButton>
          <span className="flex-1" />
          {onStop !== null && (
            <IconButton
              label={t.composer.stop}
              onClick={onStop}
              className="border-line text-ink! size-8! rounded-full! border"
            >
              <Square className="size-3 fill-current" />
            </IconButton>
          )}
          <IconButton
            label={onStop === null ? t.composer.send : t.composer.sendQueued}
            onClick={send}
            disabled={draft.trim() === ""}
            className="bg-accent! text-on-accent! hover:bg-accent-strong! disabled:bg-hover! disabled:text-faint! size-8! rounded-full! disabled:opacity-100!"
          >
            <ArrowUp className="size-4" />
          </IconButton>
        </div>
      </div>
    </div>
  );
};

/** On a touch keyboard Enter is the only way to a new line. */
const isTouch = (): boolean => window.matchMedia("(pointer: coarse)").matches;

export const focusComposer = (): void => document.getElementById(COMPOSER_ID)?.focus();
