/** Edits the arguments of a call: a form, or JSON for those who prefer it. */

import { type FormEvent, useState } from "react";

import { Button } from "../../../components/button";
import { AreaField } from "../../../components/field";
import { useText } from "../../../lib/i18n";
import { isRecordKey } from "../../../lib/words";
import { type ArgField, type Args, argsOf, argsOfJson, fieldsOf } from "./args-form";
import { ArgumentField, keyOf } from "./argument-field";

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
  const set = (changed: ArgField, value: string): void => {
    setBroken(null);
    setFields(fields.map((field) => (keyOf(field) === keyOf(changed) ? { ...field, value } : field)));
  };

  return (
    <form onSubmit={submit} className="flex flex-col gap-3.5">
      {json === null ? (
        fields
          .filter(({ name }) => !isRecordKey(name))
          .map((field) => (
            <ArgumentField key={keyOf(field)} field={field} isBroken={broken === field.name} onChange={set} />
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
