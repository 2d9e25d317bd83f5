/** The server's API of files and documents, one function for each thing it does. */

import { http, query } from "./api";
import type * as types from "./generated-api";

const file = (id: string): string => `/api/files/${encodeURIComponent(id)}`;

export interface FoundQuery {
  readonly words: string;
  readonly folder: string;
  readonly kind: string;
  /** From which moment on; nothing for all of them. */
  readonly since: string;
}

export const filesApi = {
  page: (folder: string | null, cursor: string | null) =>
    http.get<types.FileList>(
      `/api/files?${query({ limit: 100, cursor })}${folder === null ? "" : `&folder=${encodeURIComponent(folder)}`}`,
    ),
  one: (id: string) => http.get<types.FileView>(file(id)),
  change: (id: string, change: { readonly name?: string; readonly folder?: string }) =>
    http.send<types.FileView>("PATCH", file(id), change),
  remove: (id: string) => http.send<null>("DELETE", file(id)),
  process: (id: string) => http.send<types.FileView>("POST", `${file(id)}/process`),
  content: (id: string) => `${file(id)}/content`,
  jobs: () => http.get<types.JobList>("/api/jobs"),
  search: ({ words, folder, kind, since }: FoundQuery) =>
    http.get<types.FoundPassages>(
      `/api/documents/search?${query({ q: words, folder, kind, since, limit: 20 })}`,
    ),
  open: (document_id: string, start: number | null, end: number | null) =>
    http.get<types.DocumentView>(`/api/documents/text?${query({ document_id, start, end })}`),
  drawn: (document_id: string, number: number, words: string) =>
    http.get<types.PageView>(
      `/api/documents/page?${query({ document_id, number, words: words.slice(0, 1_500) })}`,
    ),
} as const;
