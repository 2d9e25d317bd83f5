/** What stands above a chart that leaves the page: its title, and below it what it was kept to. */

import { type ChartTheme, INK } from "./vega-locale";

const PARTS = " · ";
/** Pixels of a letter, on average. */
const TITLE_LETTER = 7.2;
const BELOW_LETTER = 6;

/** A text in lines of so many letters; a word that is longer stands alone. */
export const linesOf = (text: string, letters: number): readonly string[] => {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > letters) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
};

/** The title of a Vega-Lite specification. */
export const headingOf = (title: string, width: number, theme: ChartTheme): Record<string, unknown> => {
  const [first = "", ...rest] = title.split(PARTS);
  return {
    text: linesOf(first, Math.floor(width / TITLE_LETTER)),
    ...(rest.length === 0 ? {} : { subtitle: linesOf(rest.join(PARTS), Math.floor(width / BELOW_LETTER)) }),
    color: INK[theme],
    subtitleColor: INK[theme],
    anchor: "start",
    offset: 12,
  };
};
