/** What a row of the conversation can set in motion, and where it stands. */

import { createContext, useContext } from "react";

import type { AgentIdentity, AssistantMessageItem, DatasetItem, TurnView } from "../../events";

export interface ChatActions {
  readonly sessionId: string;
  readonly agents: Readonly<Record<string, AgentIdentity>>;
  /** The tables of the whole conversation, oldest first. */
  readonly tables: readonly DatasetItem[];
  readonly openTimeline: (turnId: string) => void;
  /** Open one of the citations of an answer, counted from 0. */
  readonly openSource: (answer: AssistantMessageItem, number: number, turn: TurnView) => void;
  /** Go to an event of the conversation, by its number. */
  readonly openPlace: (number: number) => void;
  readonly openFile: (fileId: string, name: string) => void;
  /** Take back a message that waits for its turn. */
  readonly withdraw: (turnId: string) => void;
  readonly ask: (text: string, targetAgentId: string | null) => void;
  /** Put a text into the composer, to be changed and asked again. */
  readonly edit: (text: string, targetAgentId: string | null) => void;
}

export const ChatContext = createContext<ChatActions | null>(null);

export const useChat = (): ChatActions => {
  const actions = useContext(ChatContext);
  if (actions === null) throw new Error("A row of the conversation stands outside a chat");
  return actions;
};
