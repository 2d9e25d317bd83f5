/** What can be done with a file. */

import {
  Download,
  FolderInput,
  MessageCircleQuestion,
  MoreHorizontal,
  PencilLine,
  RotateCcw,
  Trash2,
} from "lucide-react";

import { IconButton } from "../../components/icon-button";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "../../components/menu";
import { toast } from "../../components/toaster";
import { useFileText } from "../../lib/i18n/files";
import { filesApi } from "../../transport/files";
import type { FileView } from "../../transport/generated-api";
import { asProblem } from "../../transport/problem";
import type { Asked } from "./file-dialogs";

export interface FileActionsProps {
  readonly file: FileView;
  readonly onAsk: () => void;
  readonly onDialog: (what: Asked["what"]) => void;
  readonly onChanged: () => void;
}

export const FileActions = ({ file, onAsk, onDialog, onChanged }: FileActionsProps) => {
  const t = useFileText();
  const retry = (): void => {
    filesApi.process(file.file_id).then(
      () => {
        toast(t.retried);
        onChanged();
      },
      (error: unknown) => toast(asProblem(error).detail, "danger"),
    );
  };
  return (
    <Menu
      trigger={
        <IconButton label={t.actions(file.name)} size="small">
          <MoreHorizontal className="size-4" />
        </IconButton>
      }
    >
      {file.status === "ready" && (
        <MenuItem icon={<MessageCircleQuestion className="size-4" />} onSelect={onAsk}>
          {t.ask}
        </MenuItem>
      )}
      {file.status === "failed" && (
        <MenuItem icon={<RotateCcw className="size-4" />} onSelect={retry}>
          {t.retry}
        </MenuItem>
      )}
      <MenuItem icon={<PencilLine className="size-4" />} onSelect={() => onDialog("rename")}>
        {t.rename}
      </MenuItem>
      <MenuItem icon={<FolderInput className="size-4" />} onSelect={() => onDialog("move")}>
        {t.move}
      </MenuItem>
      {file.status !== "uploading" && (
        <MenuLink icon={<Download className="size-4" />} href={filesApi.content(file.file_id)}>
          {t.download}
        </MenuLink>
      )}
      <MenuSeparator />
      <MenuItem isDanger icon={<Trash2 className="size-4" />} onSelect={() => onDialog("remove")}>
        {t.remove}
      </MenuItem>
    </Menu>
  );
};
