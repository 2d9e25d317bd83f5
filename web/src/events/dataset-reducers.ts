/** Reducers of tables and of the charts over them. */

import type { ChartDrawn, DatasetStored } from "./generated";
import type { SessionView } from "./generated-view";
import { appendSpeech } from "./append";
import { itemHead } from "./view-edits";

/** A table appears under the tool that brought it. */
export const datasetStored = (view: SessionView, event: DatasetStored): SessionView =>
  appendSpeech(view, event, {
    ...itemHead(event),
    kind: "dataset",
    dataset_id: event.dataset_id,
    name: event.name,
    title: event.title,
    columns: event.columns,
    row_count: event.row_count,
    totals: event.totals,
    first_rows: event.first_rows,
    first_references: event.first_references,
    provenance: event.provenance,
    tool_use_id: event.tool_use_id,
  });

/** A chart appears; a variation of an earlier one stands beside it. */
export const chartDrawn = (view: SessionView, event: ChartDrawn): SessionView =>
  appendSpeech(view, event, {
    ...itemHead(event),
    kind: "chart",
    chart_id: event.chart_id,
    dataset_id: event.dataset_id,
    dataset_name: event.dataset_name,
    chart_kind: event.kind,
    title: event.title,
    description: event.description,
    spec: event.spec,
    request: event.request,
    notes: event.notes,
    language: event.language,
    changes_chart_id: event.changes_chart_id,
    tool_use_id: event.tool_use_id,
  });
