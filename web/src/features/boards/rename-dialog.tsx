/** Asks for a new title. */

import { type FormEvent, useState } from "react";

import { Button } from "../../components/button";
import { Dialog } from "../../components/dialog";
import { TextField } from "../../components/field";
import { useText } from "../../lib/i18n";
import { asProblem } from "../../transport/problem";

export interface RenameDialogProps {
  readonly title: string;
  readonly onSave: (title: string) => Promise<void>;
  readonly onClose: () => void;
}

export const RenameDialog = ({ title: before, onSave, onClose }: RenameDialogProps) => {
  const t = useText();
  const [title, setTitle] = useState(before);
  const [failure, setFailure] = useState<string | null>(null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      await onSave(title.trim());
      onClose();
    } catch (error) {
      setFailure(asProblem(error).detail);
    }
  };
  return (
    <Dialog isOpen onClose={onClose} title={t.boards.rename} closeLabel={t.common.close}>
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <TextField
          label={t.boards.name}
          data-first=""
          value={title}
          maxLength={200}
          required
          onChange={(event) => setTitle(event.target.value)}
          error={failure}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button type="submit" look="primary" disabled={title.trim() === ""}>
            {t.common.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};
