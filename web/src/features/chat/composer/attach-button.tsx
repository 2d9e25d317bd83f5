/** Chooses files to go with a message. */

import { Paperclip } from "lucide-react";
import { useRef } from "react";

import { IconButton } from "../../../components/icon-button";
import { useText } from "../../../lib/i18n";

export const AttachButton = ({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) => {
  const t = useText();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <IconButton label={t.composer.attach} onClick={() => input.current?.click()} className="size-8!">
        <Paperclip className="size-4" />
      </IconButton>
    </>
  );
};
