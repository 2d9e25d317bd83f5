/** The documents one can ask about, as they are when the menu is opened. */

import { FileText, Folder, Library } from "lucide-react";
import { useEffect, useState } from "react";

import { MenuChoice, MenuItem, MenuSeparator } from "../../../components/menu";
import { useText } from "../../../lib/i18n";
import { useFileText } from "../../../lib/i18n/files";
import { filesApi } from "../../../transport/files";
import type { FileList } from "../../../transport/generated-api";
import type { ScopePickerProps } from "./scope-picker";

const EVERYTHING = "";
const MOST_FILES = 8;

const ScopeChoices = ({ folder, onFolder, onFile }: ScopePickerProps) => {
  const t = useText();
  const files = useFileText();
  const [list, setList] = useState<FileList | null>(null);
  const [isFailed, setIsFailed] = useState(false);
  useEffect(() => {
    filesApi.page(null, null).then(setList, () => setIsFailed(true));
  }, []);
  const known = list?.folders ?? [];
  const folders = folder === null || known.includes(folder) ? known : [...known, folder];
  const newest = (list?.items ?? []).filter((file) => file.status === "ready").slice(0, MOST_FILES);
  const hint = isFailed ? files.loadFailed : list !== null && list.items.length === 0 ? files.none : null;
  return (
    <>
      <MenuChoice
        value={folder ?? EVERYTHING}
        onChange={(next) => onFolder(next === EVERYTHING ? null : next)}
        options={[
          { value: EVERYTHING, content: <Choice icon={<Library />} name={t.composer.everything} /> },
          ...folders.map((each) => ({ value: each, content: <Choice icon={<Folder />} name={each} /> })),
        ]}
      />
      {newest.length > 0 && <MenuSeparator />}
      {newest.map((file) => (
        <MenuItem key={file.file_id} onSelect={() => onFile(file)}>
          <Choice icon={<FileText />} name={file.name} />
        </MenuItem>
      ))}
      {hint !== null && <p className="text-muted px-2.5 py-1.5 text-xs">{hint}</p>}
    </>
  );
};

export default ScopeChoices;

const Choice = ({ icon, name }: { readonly icon: React.ReactNode; readonly name: string }) => (
  <>
    <span className="text-muted shrink-0 [&>svg]:size-4">{icon}</span>
    <span className="truncate">{name}</span>
  </>
);
