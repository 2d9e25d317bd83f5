/** How Vega writes numbers and dates in each language, and its colours in light and dark. */

const MONTHS = {
  en: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
  es: ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"],
} as const;
const DAYS = {
  en: ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
  es: ["domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"],
} as const;
export const INK = { light: "#1f2a30", dark: "#e4e9ec" } as const;
const GRID = { light: "#e1e6e8", dark: "#3b444a" } as const;
/** What a picture is drawn on, wherever it is shown. */
export const PAPER = { light: "#ffffff", dark: "#161c20" } as const;
const MARKS = { light: "#0f6b82", dark: "#5cc3d8" } as const;

export type ChartTheme = keyof typeof INK;

/** The part of a specification that is not the chart's own. */
export const configOf = (language: string, theme: ChartTheme, isForFile = false): Record<string, unknown> => {
  const spoken = language === "es" ? "es" : "en";
  // A file has no page to take its letters from.
  const font = isForFile ? "Inter Variable, sans-serif" : "inherit";
  const text = { labelColor: INK[theme], titleColor: INK[theme], labelFont: font, titleFont: font };
  return {
    background: "transparent",
    timeFormat: "%-d %b %Y",
    font: "Inter Variable, sans-serif",
    mark: { color: MARKS[theme] },
    axis: { ...text, gridColor: GRID[theme], domainColor: GRID[theme], tickColor: GRID[theme] },
    legend: { ...text, orient: "bottom", columns: 3 },
    view: { stroke: null },
    range: { category: { scheme: theme === "dark" ? "set2" : "tableau10" } },
    locale: {
      number: {
        decimal: spoken === "es" ? "," : ".",
        thousands: spoken === "es" ? "." : ",",
        grouping: [3],
        currency: ["", ""],
      },
      time: {
        dateTime: "%d %b %Y %H:%M",
        date: "%d/%m/%Y",
        time: "%H:%M",
        periods: ["AM", "PM"],
        days: DAYS[spoken],
        shortDays: DAYS[spoken].map((day) => day.slice(0, 3)),
        months: MONTHS[spoken],
        shortMonths: MONTHS[spoken],
      },
    },
  };
};
