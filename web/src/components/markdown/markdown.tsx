/** Markdown, once its renderer is there; until then the text as it is. */

import { type ComponentType, memo, useEffect, useState } from "react";

import { ErrorBoundary } from "../error-boundary";
import { hasMath } from "./math";

export interface MarkdownProps {
  readonly text: string;
  readonly copyLabels: { readonly copy: string; readonly copied: string };
  /** Called with the number of a citation marked in the text as a link to `#cite-n`. */
  readonly onCitation?: ((number: number) => void) | undefined;
  /** Called with the number of an event that the text leads to by a link to `#e` and that number. */
  readonly onPlace?: ((number: number) => void) | undefined;
  /** What each citation quotes, in order: shown on hover. */
  readonly quotes?: readonly string[];
}

type Renderer = ComponentType<MarkdownProps>;

/** Kept here and not in `lazy`: a renderer that is there has to render at once, not after a fallback. */
const renderers: { plain: Renderer | null; math: Renderer | null } = { plain: null, math: null };

/** Fetch the renderer before the first answer needs it; one that cannot be fetched is done without. */
export const preloadMarkdown = async (): Promise<void> => {
  const found = await import("./markdown-body").catch(() => null);
  renderers.plain ??= found?.default ?? null;
};

const loadMath = async (): Promise<void> => {
  const found = await import("./markdown-math").catch(() => null);
  renderers.math ??= found?.default ?? null;
};

const useLoaded = (isLoaded: boolean, load: () => Promise<void>, isWanted = true): boolean => {
  const [isDone, setIsDone] = useState(isLoaded);
  useEffect(() => {
    if (!isDone && isWanted) void load().then(() => setIsDone(true));
  }, [isDone, isWanted, load]);
  return isDone;
};

/** Whether the renderer is there, so that a conversation need not be shown twice: raw, then laid out. */
export const useMarkdownReady = (): boolean => useLoaded(renderers.plain !== null, preloadMarkdown);

export const Markdown = memo((props: MarkdownProps) => {
  const needsMath = hasMath(props.text);
  useMarkdownReady();
  useLoaded(renderers.math !== null, loadMath, needsMath);
  const Body = (needsMath ? renderers.math : null) ?? renderers.plain;
  const plain = <p className="prose-batuta whitespace-pre-wrap">{props.text}</p>;
  return Body === null ? (
    plain
  ) : (
    <ErrorBoundary fallback={() => plain}>
      <Body {...props} />
    </ErrorBoundary>
  );
});
