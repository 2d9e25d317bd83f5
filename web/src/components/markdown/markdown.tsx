/** Markdown, once its renderer is there; until then the text as it is. */

import { lazy, memo, Suspense } from "react";

import { ErrorBoundary } from "../error-boundary";
import { hasMath } from "./math";

const Plain = lazy(() => import("./markdown-body"));
const WithMath = lazy(() => import("./markdown-math"));

export interface MarkdownProps {
  readonly text: string;
  readonly copyLabels: { readonly copy: string; readonly copied: string };
  /** Called with the number of a citation marked in the text as a link to `#cite-n`. */
  readonly onCitation?: ((number: number) => void) | undefined;
}

export const Markdown = memo((props: MarkdownProps) => {
  const Body = hasMath(props.text) ? WithMath : Plain;
  const plain = <p className="prose-batuta whitespace-pre-wrap">{props.text}</p>;
  return (
    <ErrorBoundary fallback={() => plain}>
      <Suspense fallback={plain}>
        <Body {...props} />
      </Suspense>
    </ErrorBoundary>
  );
});

/** Fetch the renderer before the first answer needs it. */
export const preloadMarkdown = (): void => {
  void import("./markdown-body");
};
