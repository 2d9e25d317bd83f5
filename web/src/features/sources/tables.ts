/** Tables as they were read, made into rows and columns again. Pure. */

import type { DocumentView } from "../../transport/generated-api";

export interface TableRow {
  readonly place: string;
  readonly cells: readonly string[];
  readonly isMarked: boolean;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
}

const BETWEEN = " | ";

/** The tables of a document that is made of rows; none of any other. */
export const tablesOf = ({ text, segments, start, end }: DocumentView): readonly Table[] => {
  if (segments.length === 0 || segments.some(({ kind }) => kind !== "row")) return [];
  const characters = [...text];
  const sheets = new Map<string, { columns: string[]; rows: TableRow[] }>();
  for (const segment of segments) {
    const written = characters.slice(segment.start, segment.end).join("");
    const sheet = sheets.get(segment.section);
    if (sheet === undefined) {
      const cells = written.split(BETWEEN);
      const isHead = !cells.some((cell) => cell.includes(": "));
      sheets.set(segment.section, { columns: isHead ? cells : [], rows: [] });
      if (isHead) continue;
    }
    const columns = sheets.get(segment.section)?.columns ?? [];
    sheets.get(segment.section)?.rows.push({
      place: segment.place,
      cells: cellsOf(written, columns),
      isMarked: start !== null && end !== null && segment.start < end && segment.end > start,
    });
  }
  return [...sheets].map(([name, sheet]) => ({ name, ...sheet }));
};

/** `Name: Ana | City: Bilbao` under its columns; what names none goes where it stands. */
const cellsOf = (written: string, columns: readonly string[]): readonly string[] => {
  const cells = columns.map(() => "");
  written.split(BETWEEN).forEach((part, index) => {
    const column = columns.findIndex((name) => part.startsWith(`${name}: `));
    if (column >= 0) cells[column] = part.slice((columns[column]?.length ?? 0) + 2);
    else cells[index] = part;
  });
  return cells;
};
