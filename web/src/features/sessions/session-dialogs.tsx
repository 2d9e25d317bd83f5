/** Rename a session, or delete it after a question. */

import { type FormEvent, useState } from "react";

import { Button } from "../../components/button";
import { ConfirmDialog } from "../../components/confirm-dialog";
import { Dialog } from "../../components/dialog";
import { TextField } from "../../components/field";
import { toast } from "../../components/toaster";
import { useText } from "../../lib/i18n";
import type { SessionSummary } from "../../transport/api-types";
import { asProblem } from "../../transport/problem";
import { changeSession, deleteSession } from "../../transport/session-list";

export interface SessionDialogProps {
  readonly session: SessionSummary;
  readonly onClose: () => void;
}

export const RenameSession = ({ session, onClose }: SessionDialogProps) => {
  const t = useText();
  const [title, setTitle] = useState(session.title ?? "");
  const [failure, setFailure] = useState<string | null>(null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      await changeSession(session.session_id, { title: title.trim() });
      onClose();
    } catch (error) {
      setFailure(asProblem(error).detail);
    }
  };
  return (
    <Dialog isOpen onClose={onClose} title={t.sessions.rename} closeLabel={t.common.close}>
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <TextField
          label={t.sessions.title}
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

export const DeleteSession = ({
  session,
  onClose,
  onDeleted,
}: SessionDialogProps & { readonly onDeleted: () => void }) => {
  const t = useText();
  const confirm = (): void => {
    deleteSession(session.session_id).then(onDeleted, (error: unknown) =>
      toast(asProblem(error).detail, "danger"),
    );
    onClose();
  };
  return (
    <ConfirmDialog
      isOpen
      title={t.sessions.deleteTitle}
      description={t.sessions.deleteHint(session.title ?? t.sessions.untitled)}
      confirmLabel={t.sessions.delete}
      cancelLabel={t.common.cancel}
      onConfirm={confirm}
      onCancel={onClose}
    />
  );
};
