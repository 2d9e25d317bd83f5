/** Which files a waiting turn shows as being read (O-5, P-36). */

import { expect, test } from "vitest";

import { filesBeingRead } from "../../src/features/chat/reading-strip";

const entry = (kind: "file" | "tool", label: string) =>
  ({ kind, key: label, label, message: "lease.pdf", done: 45, total: 100 }) as const;

test("files that are on their way or being read are shown, ended ones and tools are not", () => {
  const progress = [
    entry("file", "uploading"),
    entry("file", "processing"),
    entry("file", "ready"),
    entry("file", "failed"),
    entry("tool", "processing"),
  ];
  expect(filesBeingRead({ progress }).map((file) => file.label)).toEqual(["uploading", "processing"]);
});
