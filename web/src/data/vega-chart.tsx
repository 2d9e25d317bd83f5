/** A chart drawn by Vega with its interpreter: no code is made from text, and nothing is fetched. */

import { useEffect, useRef, useState } from "react";
import { type Loader, parse, type Spec, View } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile, type TopLevelSpec } from "vega-lite";

import type { Column } from "../events";
import { isNumeric, type Row } from "./cells";
import { headingOf } from "./picture-heading";
import type { DrawPicture } from "./pictures";
import { type ChartTheme, configOf, PAPER } from "./vega-locale";

export interface VegaChartProps {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly language: string;
  readonly theme: ChartTheme;
  readonly description: string;
  readonly onReady: (draw: DrawPicture | null) => void;
}

interface Tip {
  readonly x: number;
  readonly y: number;
  readonly lines: readonly (readonly [string, string])[];
}

const refuse = (): Promise<never> => Promise.reject(new Error("A chart fetches nothing"));
const LOADER: Loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse } as unknown as Loader;

/** Rows as Vega computes with them: numbers as numbers, the rest as text. */
export const valuesOf = (
  columns: readonly Column[],
  rows: readonly Row[],
): readonly Record<string, unknown>[] =>
  rows.map((row) =>
    Object.fromEntries(
      columns.map((column, place) => {
        const value = row[place] ?? null;
        return [column.name, value !== null && isNumeric(column) ? Number(value) : value];
      }),
    ),
  );

const compiled = (props: VegaChartProps, width: number, title?: string): Spec => {
  const config = configOf(props.language, props.theme, title !== undefined);
  const outside =
    title === undefined
      ? { config }
      : {
          config: { ...config, background: PAPER[props.theme] },
          title: headingOf(title, width, props.theme),
        };
  const bound = {
    ...props.spec,
    description: props.description,
    data: { name: "figures", values: valuesOf(props.columns, props.rows) },
    width,
    autosize: { type: "fit-x", contains: "padding" },
    ...outside,
  };
  return compile(bound as unknown as TopLevelSpec).spec;
};

/** The chart as a picture that says what it shows: its title, its period and filters, on the paper of its theme. */
const pictureOf = async (
  props: VegaChartProps,
  width: number,
  format: "png" | "svg",
  title: string,
): Promise<string> => {
  const parsed = parse(compiled(props, width, title), {}, { ast: true });
  const options = { renderer: "none", loader: LOADER, expr: expressionInterpreter };
  const view = new View(parsed, options as unknown as ConstructorParameters<typeof View>[1]);
  try {
    await view.runAsync();
    return await (format === "png" ? view.toImageURL("png", 2) : view.toSVG());
  } finally {
    view.finalize();
  }
};

const VegaChart = (props: VegaChartProps) => {
  const { spec, columns, rows, language, theme, description, onReady } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [tip, setTip] = useState<Tip | null>(null);
  const [hasFailed, setHasFailed] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are all that a chart is made of
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const widthOf = (): number => Math.max(240, element.clientWidth);
    let view: View | null = null;
    try {
      view = new View(parse(compiled(props, widthOf()), {}, { ast: true }), {
        renderer: "svg",
        container: element,
        hover: true,
        loader: LOADER,
        expr: expressionInterpreter,
        tooltip: (_handler: unknown, event: MouseEvent, _item: unknown, value: unknown) => {
          const box = element.getBoundingClientRect();
          const lines = Object.entries((value ?? {}) as Record<string, unknown>).map(
            ([name, text]) => [name, String(text)] as const,
          );
          setTip(
            lines.length === 0 ? null : { x: event.clientX - box.left, y: event.clientY - box.top, lines },
          );
        },
      } as unknown as ConstructorParameters<typeof View>[1]);
    } catch {
      setHasFailed(true);
      return;
    }
    const made = view;
    void made.runAsync().then(
      () => onReady((format, title) => pictureOf(props, widthOf(), format, title)),
      () => setHasFailed(true),
    );
    const observer = new ResizeObserver(() => void made.width(widthOf()).runAsync());
    observer.observe(element);
    return () => {
      observer.disconnect();
      onReady(null);
      made.finalize();
    };
  }, [spec, columns, rows, language, theme]);
  return (
    <div className="relative">
      <div
        ref={frame}
        role="img"
        aria-label={description}
        className="w-full overflow-hidden"
        data-failed={hasFailed}
      />
      {tip !== null && (
        <dl
          className="bg-raised border-line shadow-float pointer-events-none absolute z-20 grid grid-cols-[auto_auto] gap-x-3 rounded-lg border px-2.5 py-1.5 text-xs"
          style={{ left: Math.max(0, tip.x - 60), top: tip.y + 14 }}
        >
          {tip.lines.map(([name, text]) => (
            <div key={name} className="contents">
              <dt className="text-faint">{name}</dt>
              <dd className="text-right tabular-nums">{text}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
};

export default VegaChart;
