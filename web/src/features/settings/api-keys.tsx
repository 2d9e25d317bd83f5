/** Keys for programs. A secret is shown once, when it is made. */

import { KeyRound, Trash2 } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";

import { Button } from "../../components/button";
import { CopyButton } from "../../components/copy-button";
import { INPUT } from "../../components/field";
import { IconButton } from "../../components/icon-button";
import { Notice } from "../../components/notice";
import { toast } from "../../components/toaster";
import { moment } from "../../lib/format";
import { useLocale, useText } from "../../lib/i18n";
import { api } from "../../transport/api";
import type { ApiKey, NewApiKey } from "../../transport/api-types";
import { asProblem } from "../../transport/problem";

const complain = (error: unknown): void => toast(asProblem(error).detail, "danger");

export const ApiKeys = () => {
  const t = useText();
  const [keys, setKeys] = useState<readonly ApiKey[]>([]);
  const [made, setMade] = useState<NewApiKey | null>(null);
  const [name, setName] = useState("");
  useEffect(() => {
    api.keys().then(({ items }) => setKeys(items), complain);
  }, []);

  const create = (event: FormEvent): void => {
    event.preventDefault();
    api.createKey(name.trim()).then((key) => {
      setMade(key);
      setKeys((before) => [...before, key]);
      setName("");
    }, complain);
  };
  const remove = (id: string): void => {
    api.deleteKey(id).then(() => setKeys((before) => before.filter((key) => key.key_id !== id)), complain);
  };

  return (
    <section aria-label={t.settings.keys} className="flex flex-col gap-3">
      <div>
        <h3 className="text-sm font-medium">{t.settings.keys}</h3>
        <p className="text-muted text-xs">{t.settings.keysHint}</p>
      </div>
      {made !== null && (
        <Notice role="status">
          <p className="font-medium">{t.settings.keyMade}</p>
          <p className="mt-1 flex items-center gap-1 font-mono text-xs break-all">
            {made.secret}
            <CopyButton value={made.secret} label={t.common.copy} doneLabel={t.common.copied} />
          </p>
        </Notice>
      )}
      {keys.length > 0 && (
        <ul className="border-line divide-line divide-y rounded-xl border">
          {keys.map((key) => (
            <KeyRow key={key.key_id} apiKey={key} onRemove={() => remove(key.key_id)} />
          ))}
        </ul>
      )}
      <form onSubmit={create} className="flex gap-2">
        <input
          aria-label={t.settings.keyName}
          placeholder={t.settings.keyName}
          value={name}
          maxLength={100}
          onChange={(event) => setName(event.target.value)}
          className={`${INPUT} h-9`}
        />
        <Button type="submit" disabled={name.trim() === ""}>
          {t.settings.createKey}
        </Button>
      </form>
    </section>
  );
};

const KeyRow = ({ apiKey, onRemove }: { readonly apiKey: ApiKey; readonly onRemove: () => void }) => {
  const t = useText();
  const locale = useLocale();
  const used = apiKey.last_used_at;
  return (
    <li className="flex items-center gap-3 px-3 py-2">
      <KeyRound aria-hidden="true" className="text-faint size-4 shrink-0" />
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm font-medium">{apiKey.name}</p>
        <p className="text-faint text-xs">
          {used === null ? t.settings.neverUsed : t.settings.lastUsed(moment(used, locale))}
        </p>
      </div>
      <IconButton label={t.settings.removeKey(apiKey.name)} size="small" onClick={onRemove}>
        <Trash2 className="size-4" />
      </IconButton>
    </li>
  );
};
