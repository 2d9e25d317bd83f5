/** Code in colours. A chunk of its own: the grammars are many. */

import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import { common, createLowlight } from "lowlight";
import { Fragment, useMemo } from "react";
import { jsx, jsxs } from "react/jsx-runtime";

const lowlight = createLowlight(common);

const Highlighted = ({ text, language }: { readonly text: string; readonly language: string }) =>
  useMemo(() => {
    if (!lowlight.registered(language)) return text;
    return toJsxRuntime(lowlight.highlight(language, text), { Fragment, jsx, jsxs });
  }, [text, language]);

export default Highlighted;
