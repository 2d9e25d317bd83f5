/** Copies a text and says that it did. */

import { Check, Copy } from "lucide-react";
import { useState } from "react";

import { copyText } from "../lib/clipboard";
import { IconButton } from "./icon-button";

export interface CopyButtonProps {
  /** The text, or what makes it when it is wanted. */
  readonly value: string | (() => string);
  readonly label: string;
  readonly doneLabel: string;
}

export const CopyButton = ({ value, label, doneLabel }: CopyButtonProps) => {
  const [isDone, setIsDone] = useState(false);
  const copy = async (): Promise<void> => {
    setIsDone(await copyText(typeof value === "string" ? value : value()));
    window.setTimeout(() => setIsDone(false), 1_800);
  };
  return (
    <IconButton label={isDone ? doneLabel : label} size="small" onClick={() => void copy()}>
      {isDone ? <Check className="text-ok size-3.5" /> : <Copy className="size-3.5" />}
    </IconButton>
  );
};
