/** Rename, move and delete a file. */

import { type FormEvent, useId, useState } from "react";

import { Button } from "../../components/button";
import { ConfirmDialog } from "../../components/confirm-dialog";
import { Dialog } from "../../components/dialog";
import { TextField } from "../../components/field";
import { toast } from "../../components/toaster";
import { useText } from "../../lib/i18n";
import { useFileText } from "../../lib/i18n/files";
import { filesApi } from "../../transport/files";
import type { FileView } from "../../transport/generated-api";
import { asProblem } from "../../transport/problem";

export interface Asked {
  readonly what: "rename" | "move" | "remove";
  readonly file: FileView;
}

export interface FileDialogsProps {
  readonly asked: Asked;
  readonly folders: readonly string[];
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

export const FileDialogs = ({ asked, folders, onClose, onChanged }: FileDialogsProps) => {
  const t = useFileText();
  const common = useText().common;
  const { what, file } = asked;
  const act = (work: Promise<unknown>, done: string): void => {
    work.then(
      () => {
        toast(done);
        onChanged();
      },
      (error: unknown) => toast(asProblem(error).detail || common.failed, "danger"),
    );
    onClose();
  };
  if (what === "remove")
    return (
      <ConfirmDialog
        isOpen
        title={t.removeTitle}
        description={t.removeHint(file.name)}
        confirmLabel={t.remove}
        cancelLabel={common.cancel}
        onConfirm={() => act(filesApi.remove(file.file_id), t.removed)}
        onCancel={onClose}
      />
    );
  const isRename = what === "rename";
  return (
    <Dialog isOpen onClose={onClose} title={isRename ? t.rename : t.move} closeLabel={common.close}>
      <Change
        label={isRename ? t.name : t.folder}
        hint={isRename ? undefined : t.folderHint}
        initial={isRename ? file.name : file.folder}
        known={isRename ? [] : folders}
        isRequired={isRename}
        onSave={(value) =>
          act(filesApi.change(file.file_id, isRename ? { name: value } : { folder: value }), t.saved)
        }
      />
    </Dialog>
  );
};

interface ChangeProps {
  readonly label: string;
  readonly hint: string | undefined;
  readonly initial: string;
  readonly known: readonly string[];
  readonly isRequired: boolean;
  readonly onSave: (value: string) => void;
}

const Change = ({ label, hint, initial, known, isRequired, onSave }: ChangeProps) => {
  const common = useText().common;
  const listId = useId();
  const [value, setValue] = useState(initial);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSave(value.trim());
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label={label}
        {...(hint === undefined ? {} : { hint })}
        value={value}
        required={isRequired}
        maxLength={isRequired ? 200 : 400}
        list={listId}
        onChange={(event) => setValue(event.target.value)}
      />
      <datalist id={listId}>
        {known.map((folder) => (
          <option key={folder} value={folder} />
        ))}
      </datalist>
      <div className="flex justify-end">
        <Button type="submit" look="primary">
          {common.save}
        </Button>
      </div>
    </form>
  );
};
