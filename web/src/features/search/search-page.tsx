/** Search in documents and conversations at once: what was found, with its words marked, opens at the place (P-35). */

import { Search } from "lucide-react";
import { useEffect, useState } from "react";

import { EmptyState } from "../../components/empty-state";
import { INPUT } from "../../components/field";
import { Notice } from "../../components/notice";
import { Segmented } from "../../components/segmented";
import { Skeleton } from "../../components/skeleton";
import { useFileText } from "../../lib/i18n/files";
import type { FoundPassage } from "../../transport/generated-api";
import { Filter } from "./filter";
import { FoundDocuments } from "./found-documents";
import { FoundTalk } from "./found-talk";
import { useAgentNames, useFolders, useFound } from "./use-found";

export interface SearchPageProps {
  readonly words: string;
  readonly folder: string;
  readonly onSearch: (words: string, folder: string) => void;
  readonly onOpenDocument: (passage: FoundPassage) => void;
  readonly onOpenSession: (id: string, place: number | null) => void;
}

type Where = "all" | "documents" | "conversations";

const KINDS = ["pdf", "docx", "xlsx", "pptx", "csv", "md", "txt", "html", "eml"] as const;
const PAUSE_MS = 250;
const DAY_MS = 86_400_000;
const PERIODS: Readonly<Record<string, number>> = { week: 7, month: 31, year: 366 };

/** The moment from which on something is new enough; the same all day, so that nothing is asked for twice. */
const sinceOf = (period: string): string => {
  const days = PERIODS[period];
  if (days === undefined) return "";
  const today = new Date();
  today.setHours(0, 0, 0, 0);
  return new Date(today.getTime() - days * DAY_MS).toISOString();
};

const SearchPage = ({ words, folder, onSearch, onOpenDocument, onOpenSession }: SearchPageProps) => {
  const t = useFileText();
  const [typed, setTyped] = useState(words);
  const [where, setWhere] = useState<Where>("all");
  const [kind, setKind] = useState("");
  const [period, setPeriod] = useState("");
  const [agent, setAgent] = useState("");
  const folders = useFolders();
  const agents = useAgentNames();
  useEffect(() => setTyped(words), [words]);
  useEffect(() => {
    if (typed === words) return;
    const timer = window.setTimeout(() => onSearch(typed, folder), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [typed, words, folder, onSearch]);
  const { status, passages, sessions, messages } = useFound({
    words: words.trim(),
    folder,
    kind,
    since: sinceOf(period),
    agent,
  });
  const areDocuments = where !== "conversations" && agent === "";
  const areTalks = where !== "documents" && folder === "" && kind === "";
  const count = (areDocuments ? passages.length : 0) + (areTalks ? sessions.length + messages.length : 0);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 py-5">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-4">
        <header>
          <h1 className="text-xl font-semibold tracking-tight">{t.search}</h1>
          <p className="text-muted mt-0.5 text-sm">
            {t.searchLead}. {t.lexical}
          </p>
        </header>
        <div className="relative">
          <Search
            aria-hidden="true"
            className="text-faint pointer-events-none absolute top-3.5 left-3.5 size-4"
          />
          <input
            type="search"
            // biome-ignore lint/a11y/noAutofocus: the page is there to type into this field
            autoFocus
            aria-label={t.searchFor}
            placeholder={t.searchFor}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            className={`${INPUT} h-11 pl-10!`}
          />
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <Segmented
            label={t.where}
            value={where}
            onChange={setWhere}
            options={[
              { value: "all", label: t.everywhere },
              { value: "documents", label: t.documents },
              { value: "conversations", label: t.conversations },
            ]}
          />
          <Filter label={t.kind} any={t.anyKind} value={kind} options={KINDS} onChange={setKind} />
          <Filter
            label={t.when}
            any={t.anyTime}
            value={period}
            options={Object.keys(PERIODS)}
            names={t.periods}
            onChange={setPeriod}
          />
          <Filter
            label={t.agent}
            any={t.anyAgent}
            value={agent}
            options={Object.keys(agents)}
            names={agents}
            onChange={setAgent}
          />
          {folders.length > 0 && (
            <Filter
              label={t.folder}
              any={t.anyFolder}
              value={folder}
              options={folders}
              onChange={(next) => onSearch(typed, next)}
            />
          )}
        </div>
        <div aria-live="polite" className="flex flex-col gap-5">
          {status === "loading" && <Skeleton className="h-24 w-full" />}
          {status === "failed" && <Notice tone="danger">{t.searchFailed}</Notice>}
          {status === "ready" && count === 0 && (
            <EmptyState icon={<Search className="size-8" />} title={t.nothing} description={t.nothingHint} />
          )}
          {areDocuments && <FoundDocuments passages={passages} onOpen={onOpenDocument} />}
          {areTalks && <FoundTalk sessions={sessions} messages={messages} onOpen={onOpenSession} />}
        </div>
      </div>
    </div>
  );
};

export default SearchPage;
