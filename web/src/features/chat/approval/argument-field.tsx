/** One argument of a call as a field of its kind. */

import { AreaField, TextField } from "../../../components/field";
import { Switch } from "../../../components/switch";
import { useText } from "../../../lib/i18n";
import { named } from "../../../lib/words";
import { type ArgField, momentAt, partsOf } from "./args-form";

export interface ArgumentFieldProps {
  readonly field: ArgField;
  readonly isBroken: boolean;
  readonly onChange: (field: ArgField, value: string) => void;
}

/** What tells a field from the others of a call. */
export const keyOf = ({ name, within }: ArgField): string => `${within ?? ""}/${name}`;

export const ArgumentField = ({ field, isBroken, onChange }: ArgumentFieldProps) => {
  const t = useText();
  const { name, kind, value } = field;
  const label = named(name, t.tools.fields);
  if (kind === "boolean") {
    return (
      <Switch label={label} isOn={value === "true"} onChange={(isOn) => onChange(field, String(isOn))} />
    );
  }
  if (kind === "moment") {
    const { local, offset } = partsOf(value);
    return (
      <TextField
        type="datetime-local"
        label={label}
        value={local}
        hint={offset === "" ? undefined : `UTC${offset === "Z" ? "" : offset}`}
        onChange={(event) => onChange(field, momentAt(event.target.value, value))}
        error={isBroken ? t.approval.notMoment : null}
      />
    );
  }
  if (kind === "long-text" || kind === "json") {
    return (
      <AreaField
        label={label}
        value={value}
        onChange={(event) => onChange(field, event.target.value)}
        error={isBroken ? t.approval.notJson : null}
        className={kind === "json" ? "font-mono text-xs" : ""}
      />
    );
  }
  return (
    <TextField
      label={label}
      value={value}
      inputMode={kind === "number" ? "decimal" : "text"}
      onChange={(event) => onChange(field, event.target.value)}
      error={isBroken ? t.approval.notNumber : null}
    />
  );
};
