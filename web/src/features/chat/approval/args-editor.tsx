/** Edits the arguments of a call: a form, or JSON for those who prefer it. */

import { type FormEvent, useState } from "react";

import { Button } from "../../../components/button";
import { AreaField, TextField } from "../../../components/field";
import { Switch } from "../../../components/switch";
import { useText } from "../../../lib/i18n";
import { named } from "../../../lib/words";
import { type ArgField, type Args, argsOf, argsOfJson, fieldsOf, momentAt, partsOf } from "./args-form";

export interface ArgsEditorProps {
  readonly args: Args;
  readonly isBusy: boolean;
  readonly onSubmit: (args: Args) => void;
  readonly onCancel: () => void;
}

export const ArgsEditor = ({ args, isBusy, onSubmit, onCancel }: ArgsEditorProps) => {
  const t = useText();
  const [fields, setFields] = useState(() => fieldsOf(args));
  const [json, setJson] = useState<string | null>(null);
  const [broken, setBroken] = useState<string | null>(null);

  const read = () => (json === null ? argsOf(fields) : argsOfJson(json));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const result = read();
    if (result.ok) onSubmit(result.value);
    else setBroken(result.field);
  };
  const toggle = (): void => {
    const result = read();
    setBroken(result.ok ? null : result.field);
    if (!result.ok) return;
    setFields(fieldsOf(result.value));
    setJson(json === null ? JSON.stringify(result.value, null, 2) : null);
  };
  const set = (name: string, value: string): void => {
    setBroken(null);
    setFields(fields.map((field) => (field.name === name ? { ...field, value } : field)));
  };

  return (
    <form onSubmit={submit} className="flex flex-col gap-3.5">
      {json === null ? (
        fields.map((field) => (
          <Argument key={field.name} field={field} isBroken={broken === field.name} onChange={set} />
        ))
      ) : (
        <AreaField
          label={t.approval.asJson}
          value={json}
          onChange={(event) => setJson(event.target.value)}
          error={broken === null ? null : t.approval.notJson}
          spellCheck={false}
          className="min-h-40 font-mono text-xs"
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" look="primary" size="small" isBusy={isBusy}>
          {t.approval.approveEdited}
        </Button>
        <Button size="small" onClick={onCancel}>
          {t.common.cancel}
        </Button>
        <Button size="small" look="quiet" className="ml-auto" onClick={toggle}>
          {json === null ? t.approval.asJson : t.approval.asForm}
        </Button>
      </div>
    </form>
  );
};

interface ArgumentProps {
  readonly field: ArgField;
  readonly isBroken: boolean;
  readonly onChange: (name: string, value: string) => void;
}

const Argument = ({ field: { name, kind, value }, isBroken, onChange }: ArgumentProps) => {
  const t = useText();
  const label = named(name, t.tools.fields);
  if (kind === "boolean") {
    return <Switch label={label} isOn={value === "true"} onChange={(isOn) => onChange(name, String(isOn))} />;
  }
  if (kind === "moment") {
    const { local, offset } = partsOf(value);
    return (
      <TextField
        type="datetime-local"
        label={label}
        value={local}
        hint={offset === "" ? undefined : `UTC${offset === "Z" ? "" : offset}`}
        onChange={(event) => onChange(name, momentAt(event.target.value, value))}
        error={isBroken ? t.approval.notMoment : null}
      />
    );
  }
  if (kind === "long-text" || kind === "json") {
    return (
      <AreaField
        label={label}
        value={value}
        onChange={(event) => onChange(name, event.target.value)}
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
      onChange={(event) => onChange(name, event.target.value)}
      error={isBroken ? t.approval.notNumber : null}
    />
  );
};
