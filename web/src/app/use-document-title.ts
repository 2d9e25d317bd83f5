/** The name of the conversation in the title of the window. */

import { useEffect } from "react";

import { useChannel } from "../transport/channel";

export const useDocumentTitle = (sessionId: string | null): void => {
  const title = useChannel((state) => (state.session_id === sessionId ? state.view.title : null));
  useEffect(() => {
    document.title = title === null ? "Batuta" : `${title} · Batuta`;
  }, [title]);
};
