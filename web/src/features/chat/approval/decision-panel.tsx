/** Approve, change, reject with a reason, or set aside. */

import { ArchiveX, Check, Pencil, X } from "lucide-react";
import { type FormEvent, useState } from "react";

import { Button } from "../../../components/button";
import { TextField } from "../../../components/field";
import { Notice } from "../../../components/notice";
import { Tooltip } from "../../../components/tooltip";
import type { ApprovalItem } from "../../../events";
import { useText } from "../../../lib/i18n";
import { api } from "../../../transport/api";
import type { Decision } from "../../../transport/api-types";
import { asProblem } from "../../../transport/problem";
import { ArgsEditor } from "./args-editor";
import { CallArgs } from "./call-args";

type Mode = "choose" | "edit" | "reject";

export interface DecisionPanelProps {
  readonly item: ApprovalItem;
  readonly onDecided?: (() => void) | undefined;
}

export const DecisionPanel = ({ item, onDecided }: DecisionPanelProps) => {
  const t = useText();
  const [mode, setMode] = useState<Mode>("choose");
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [isRemembered, setIsRemembered] = useState(false);

  /** Ticking the box and then rejecting allows nothing: only what lets the call run is remembered. */
  const isKept = ({ decision }: Decision): boolean =>
    isRemembered && (decision === "approve" || decision === "edit");

  /** The card changes when the log tells of the decision; here only a refusal is shown. */
  const decide = async (decision: Decision): Promise<void> => {
    setIsBusy(true);
    setFailure(null);
    try {
      await api.decide(item.approval_id, isKept(decision) ? { ...decision, remember: "session" } : decision);
      onDecided?.();
    } catch (error) {
      const problem = asProblem(error);
      setFailure(problem.status === 409 ? t.approval.decidedElsewhere : problem.detail || problem.title);
      setIsBusy(false);
    }
  };

  return (
    <>
      {failure !== null && (
        <Notice tone="danger" role="alert">
          {failure}
        </Notice>
      )}
      {mode === "edit" ? (
        <ArgsEditor
          args={item.args}
          isBusy={isBusy}
          onSubmit={(args) => void decide({ decision: "edit", args })}
          onCancel={() => setMode("choose")}
        />
      ) : (
        <CallArgs args={item.args} before={null} preview={item.preview} />
      )}
      {mode === "reject" && (
        <Rejection
          isBusy={isBusy}
          onSubmit={(reason) => void decide({ decision: "reject", ...(reason === "" ? {} : { reason }) })}
          onCancel={() => setMode("choose")}
        />
      )}
      {mode === "choose" && (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            look="primary"
            size="small"
            isBusy={isBusy}
            onClick={() => void decide({ decision: "approve" })}
          >
            <Check className="size-4" /> {t.approval.approve}
          </Button>
          <Button size="small" disabled={isBusy} onClick={() => setMode("edit")}>
            <Pencil className="size-3.5" /> {t.approval.edit}
          </Button>
          <Button size="small" disabled={isBusy} onClick={() => setMode("reject")}>
            <X className="size-4" /> {t.approval.reject}
          </Button>
          <Tooltip label={t.approval.setAsideHint}>
            <Button size="small" disabled={isBusy} onClick={() => void decide({ decision: "set_aside" })}>
              <ArchiveX className="size-3.5" /> {t.approval.setAside}
            </Button>
          </Tooltip>
          <label className="text-muted flex sm:ml-auto items-center gap-2 py-1 text-xs">
            <input
              type="checkbox"
              checked={isRemembered}
              onChange={(event) => setIsRemembered(event.target.checked)}
              className="accent-accent size-4"
            />
            {t.approval.remember}
          </label>
        </div>
      )}
    </>
  );
};

interface RejectionProps {
  readonly isBusy: boolean;
  readonly onSubmit: (reason: string) => void;
  readonly onCancel: () => void;
}

const Rejection = ({ isBusy, onSubmit, onCancel }: RejectionProps) => {
  const t = useText();
  const [reason, setReason] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit(reason.trim());
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label={t.approval.reason}
        hint={t.approval.reasonHint}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        autoFocus
      />
      <div className="flex gap-2">
        <Button type="submit" look="danger" size="small" isBusy={isBusy}>
          {t.approval.reject}
        </Button>
        <Button size="small" onClick={onCancel}>
          {t.common.cancel}
        </Button>
      </div>
    </form>
  );
};
