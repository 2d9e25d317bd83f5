/** What a search finds in documents and in conversations, asked for at once. */

import { useEffect, useState } from "react";

import { api } from "../../transport/api";
import { type FoundQuery, filesApi } from "../../transport/files";
import type { FoundMessage, FoundPassage, FoundSession } from "../../transport/generated-api";

export interface Found {
  /** `idle` without words to look for. */
  readonly status: "idle" | "loading" | "ready" | "failed";
  readonly passages: readonly FoundPassage[];
  readonly sessions: readonly FoundSession[];
  readonly messages: readonly FoundMessage[];
}

const NOTHING: Found = { status: "idle", passages: [], sessions: [], messages: [] };

export const useFound = ({
  words,
  folder,
  kind,
  since,
  agent,
}: FoundQuery & { readonly agent: string }): Found => {
  const [found, setFound] = useState<Found>(NOTHING);
  useEffect(() => {
    if (words === "") return setFound(NOTHING);
    let isWanted = true;
    const show = (next: Partial<Found>): void => {
      if (isWanted) setFound((before) => ({ ...before, ...next }));
    };
    show({ status: "loading" });
    Promise.all([
      filesApi.search({ words, folder, kind, since }),
      api.search(words.slice(0, 200), since, agent),
    ]).then(
      ([{ items }, { sessions, messages }]) => show({ status: "ready", passages: items, sessions, messages }),
      () => show({ ...NOTHING, status: "failed" }),
    );
    return () => {
      isWanted = false;
    };
  }, [words, folder, kind, since, agent]);
  return found;
};

/** The agents whose messages one can search in, by their ids. */
export const useAgentNames = (): Readonly<Record<string, string>> => {
  const [names, setNames] = useState<Readonly<Record<string, string>>>({});
  useEffect(() => {
    api.agents().then(
      ({ items }) => setNames(Object.fromEntries(items.map((agent) => [agent.agent_id, agent.name]))),
      () => undefined,
    );
  }, []);
  return names;
};

/** The folders one can search in. */
export const useFolders = (): readonly string[] => {
  const [folders, setFolders] = useState<readonly string[]>([]);
  useEffect(() => {
    filesApi.page(null, null).then(
      (page) => setFolders(page.folders),
      () => undefined,
    );
  }, []);
  return folders;
};
