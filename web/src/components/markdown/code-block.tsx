/** A block of code: its language, a way to copy it, and colours once the highlighter is there. */

import { lazy, Suspense } from "react";

import { CopyButton } from "../copy-button";

const Highlighted = lazy(() => import("./highlighted"));

export interface CodeBlockProps {
  readonly text: string;
  readonly language: string | undefined;
  readonly labels: { readonly copy: string; readonly copied: string };
}

export const CodeBlock = ({ text, language, labels }: CodeBlockProps) => (
  <figure className="border-line bg-sunken my-3 overflow-hidden rounded-xl border">
    <figcaption className="border-line text-faint flex h-8 items-center justify-between border-b pr-1 pl-3.5 font-mono text-xs">
      {language ?? "text"}
      <CopyButton value={text} label={labels.copy} doneLabel={labels.copied} />
    </figcaption>
    <pre
      tabIndex={0}
      className="hl !my-0 overflow-x-auto px-3.5 py-3 font-mono text-[0.8125rem] leading-[1.6]"
    >
      <code>
        {language === undefined ? (
          text
        ) : (
          <Suspense fallback={text}>
            <Highlighted text={text} language={language} />
          </Suspense>
        )}
      </code>
    </pre>
  </figure>
);
