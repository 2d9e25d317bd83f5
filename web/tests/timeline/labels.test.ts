/** The turn timeline speaks the language of its reader. */

import { expect, test } from "vitest";

import { labelOf, titleOf } from "../../src/features/timeline/labels";
import { en } from "../../src/lib/i18n/en";
import { es } from "../../src/lib/i18n/es";

test.each([
  ["agent_handoff", "plan_step", "paso del plan"],
  ["tool_use", "search_documents", "Buscar en los documentos"],
  ["tool_result", "a_tool_of_your_own", "a_tool_of_your_own"],
  ["approval_requested", "create_appointment", "Crear cita"],
  ["plan_step_completed", "completed", "Hecho"],
  ["turn_paused", "create_appointment waits for approval", "Espera tu decisión"],
  ["complete", "success", "Terminado"],
  ["message", "search_documents", "search_documents"],
  ["turn.started", "turn.started", ""],
])("%s says %s as “%s” in Spanish", (type, label, words) => {
  expect(labelOf({ type, label }, es)).toBe(words);
});

test("a turn that pauses has not ended", () => {
  expect([
    titleOf({ type: "complete", label: "paused" }, en),
    titleOf({ type: "complete", label: "success" }, en),
  ]).toEqual(["Paused", "End of the turn"]);
});
