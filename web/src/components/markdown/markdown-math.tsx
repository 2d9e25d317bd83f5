/** Markdown with formulas. A chunk of its own: the typesetter and its fonts are heavy. */

import "katex/dist/katex.min.css";
import rehypeKatex from "rehype-katex";
import remarkMath from "remark-math";

import type { MarkdownProps } from "./markdown";
import MarkdownBody from "./markdown-body";

const REMARK = [remarkMath];
const REHYPE: [[typeof rehypeKatex, object]] = [
  [rehypeKatex, { throwOnError: false, strict: false, trust: false }],
];

const MarkdownMath = (props: MarkdownProps) => <MarkdownBody {...props} remark={REMARK} rehype={REHYPE} />;

export default MarkdownMath;
