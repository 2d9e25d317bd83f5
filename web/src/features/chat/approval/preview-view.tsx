/** What a call would do, as its tool shows it: a difference as a table, the rest as text. Never as markup. */

import clsx from "clsx";

import { useText } from "../../../lib/i18n";
import { blocksOf, type PreviewBlock } from "./preview-blocks";

export const PreviewView = ({ text }: { readonly text: string | null }) => {
  const t = useText();
  if (text === null || text === "") return null;
  return (
    <section
      aria-label={t.approval.preview}
      className="bg-sunken border-line flex flex-col gap-2.5 rounded-lg border px-3.5 py-2.5 text-sm"
    >
      {blocksOf(text).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a preview never change places
        <Block key={index} block={block} />
      ))}
    </section>
  );
};

const Block = ({ block }: { readonly block: PreviewBlock }) => {
  if (block.kind === "table") return <DifferenceTable {...block} />;
  if (block.kind === "heading") return <h4 className="font-semibold break-words">{block.text}</h4>;
  return <p className="break-words whitespace-pre-wrap">{block.text}</p>;
};

interface TableProps {
  readonly head: readonly string[];
  readonly figures: readonly boolean[];
  readonly rows: readonly (readonly string[])[];
}

/** Figures at the right, as in a ledger; the column of a difference that counts stands out. */
const DifferenceTable = ({ head, figures, rows }: TableProps) => {
  const t = useText();
  const isDifference = head.length === 3;
  return (
    <section
      aria-label={head.join(", ")}
      tabIndex={0}
      className="border-line bg-raised overflow-x-auto rounded-md border"
    >
      <table className="w-full border-collapse text-[0.8125rem]">
        <thead>
          <tr className="text-muted border-line border-b text-left">
            {head.map((name, column) => (
              <th
                key={name}
                scope="col"
                className={clsx("px-3 py-1.5 font-medium", figures[column] && "text-right")}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a preview never change places
            <tr key={row} className="border-line not-last:border-b align-top">
              {cells.map((cell, column) => (
                <td
                  // biome-ignore lint/suspicious/noArrayIndexKey: a cell is known by its column
                  key={column}
                  className={clsx(
                    "px-3 py-1.5 break-words tabular-nums",
                    figures[column] && "text-right",
                    column === 0 && "text-muted",
                    isDifference && column === 1 && cell !== "" && "text-muted line-through",
                    isDifference && column === 2 && "font-medium",
                  )}
                >
                  {cell === "" && isDifference && column > 0 ? (
                    <span className="text-faint">
                      <span aria-hidden="true">–</span>
                      <span className="sr-only">{t.approval.nothing}</span>
                    </span>
                  ) : (
                    cell
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};
