/** Markdown as elements: no HTML of the text gets through, addresses are checked. */

import { type ButtonHTMLAttributes, useMemo } from "react";
import ReactMarkdown, { type Components, defaultUrlTransform, type Options } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";

import { Quoted } from "../tooltip";
import { CodeBlock } from "./code-block";
import type { MarkdownProps } from "./markdown";

/** Sanitised before formulas are laid out, so that nothing written in the text can pass as a formula's markup. */
const SCHEMA: typeof defaultSchema = {
  ...defaultSchema,
  attributes: {
    ...defaultSchema.attributes,
    code: [["className", /^language-./, "math-inline", "math-display"]],
  },
};

const CITATION = /^#cite-(\d+)$/;
const PLACE = /^#e(\d{1,15})$/;

export interface MarkdownBodyProps extends MarkdownProps {
  readonly remark?: NonNullable<Options["remarkPlugins"]>;
  readonly rehype?: NonNullable<Options["rehypePlugins"]>;
}

const NONE: [] = [];

const MarkdownBody = ({
  text,
  copyLabels,
  onCitation,
  onPlace,
  quotes = NONE,
  remark = NONE,
  rehype = NONE,
}: MarkdownBodyProps) => {
  // The same components for every piece that arrives: new ones would make the browser build each block anew.
  const parts = useMemo(
    () => components({ copyLabels, onCitation, onPlace, quotes }),
    [copyLabels, onCitation, onPlace, quotes],
  );
  return (
    <div className="prose-batuta">
      <ReactMarkdown
        remarkPlugins={[remarkGfm, ...remark]}
        rehypePlugins={[[rehypeSanitize, SCHEMA], ...rehype]}
        urlTransform={defaultUrlTransform}
        components={parts}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
};

export default MarkdownBody;

const components = ({
  copyLabels,
  onCitation,
  onPlace,
  quotes = NONE,
}: Omit<MarkdownProps, "text">): Components => ({
  a: ({ href, children }) => {
    const place = PLACE.exec(href ?? "")?.[1];
    if (place !== undefined)
      return (
        <button
          type="button"
          onClick={() => onPlace?.(Number(place))}
          className="text-accent hover:underline"
        >
          {children}
        </button>
      );
    const number = CITATION.exec(href ?? "")?.[1];
    return number === undefined ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ) : (
      <Quoted quote={quotes[Number(number) - 1] ?? ""}>
        <CitationMark number={Number(number)} onOpen={onCitation} />
      </Quoted>
    );
  },
  pre: ({ children }) => <>{children}</>,
  code: ({ className, children, node }) => {
    const text = String(children ?? "");
    const isBlock = node?.position !== undefined && text.endsWith("\n");
    if (!isBlock) return <code>{children}</code>;
    return (
      <CodeBlock
        text={text.replace(/\n$/, "")}
        language={/language-(\S+)/.exec(className ?? "")?.[1]}
        labels={copyLabels}
      />
    );
  },
  table: ({ children }) => (
    <div className="border-line my-3 overflow-x-auto rounded-xl border" tabIndex={0}>
      <table className="w-full border-collapse text-sm [&_tbody_tr+tr]:border-t [&_td]:border-line [&_td]:px-3.5 [&_td]:py-2 [&_th]:px-3.5 [&_th]:py-2 [&_th]:text-left [&_th]:font-semibold [&_thead]:bg-sunken [&_tr]:border-line !my-0 tabular-nums">
        {children}
      </table>
    </div>
  ),
  img: ({ alt, src }) => (
    // The page loads nothing from elsewhere on the word of a model: an image is a link.
    <a href={typeof src === "string" ? src : undefined} target="_blank" rel="noopener noreferrer nofollow">
      {alt === undefined || alt === "" ? src : alt}
    </a>
  ),
});

interface CitationMarkProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly number: number;
  readonly onOpen: MarkdownProps["onCitation"];
}

const CitationMark = ({ number, onOpen, ...rest }: CitationMarkProps) => (
  <button
    type="button"
    {...rest}
    onClick={() => onOpen?.(number)}
    className="bg-accent-soft text-accent hover:bg-accent hover:text-on-accent mx-0.5 inline-grid h-[1.125rem] min-w-[1.125rem] -translate-y-0.5 place-items-center rounded-md px-1 align-baseline text-2xs font-semibold tabular-nums transition-colors"
  >
    {number}
  </button>
);
