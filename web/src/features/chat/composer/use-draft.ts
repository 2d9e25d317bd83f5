/** What is being written, kept across reloads, other sessions and an expired login. */

import { useCallback, useEffect, useState } from "react";

import { recall, remember } from "../../../lib/storage";
import { useAccount } from "../../../transport/account";
import { DRAFTS } from "../../../transport/lifecycle";

/** The draft of a session (`new` for one that does not exist yet) and a way to change it. */
export const useDraft = (sessionId: string | null): readonly [string, (text: string) => void] => {
  const userId = useAccount((state) => state.me?.user.user_id ?? "");
  const key = `${DRAFTS}${userId}.${sessionId ?? "new"}`;
  const [draft, setDraft] = useState(() => recall(key, ""));
  useEffect(() => setDraft(recall(key, "")), [key]);
  const change = useCallback(
    (text: string) => {
      setDraft(text);
      remember(key, text === "" ? null : text);
    },
    [key],
  );
  return [draft, change];
};
