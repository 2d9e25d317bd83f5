/** The first account of a new installation: its owner. */

import { useState } from "react";

import { TextField } from "../../components/field";
import { useText } from "../../lib/i18n";
import { api } from "../../transport/api";
import { AccountForm } from "./account-form";
import { DemoButton } from "./demo-button";
import { Divider } from "./divider";

const SHORTEST_PASSWORD = 10;

/** The token of the address that the platform prints when it starts; what stands behind the `#` is never sent. */
export const tokenOf = (hash: string): string =>
  new URLSearchParams(hash.replace(/^#/, "")).get("setup") ?? "";

export const SetupForm = ({ isDemo }: { readonly isDemo: boolean }) => {
  const t = useText();
  const [name, setName] = useState("");
  const [token, setToken] = useState(() => tokenOf(window.location.hash));
  const isTokenAsked = !isDemo && tokenOf(window.location.hash) === "";
  return (
    <div className="flex flex-col gap-4">
      {isDemo && (
        <>
          <DemoButton />
          <Divider label={t.auth.orSetup} />
        </>
      )}
      <AccountForm
        onSubmit={({ email, password }) => api.setup({ email, name, password, token })}
        submitLabel={t.auth.create}
        isSecond={isDemo}
        shortestPassword={SHORTEST_PASSWORD}
      >
        {(errorOf) => (
          <>
            {isTokenAsked && (
              <TextField
                label={t.auth.setupToken}
                hint={t.auth.setupTokenHint}
                name="token"
                autoComplete="off"
                required
                value={token}
                onChange={(event) => setToken(event.target.value.trim())}
                error={errorOf("token")}
              />
            )}
            <TextField
              label={t.auth.name}
              name="name"
              autoComplete="name"
              required
              value={name}
              onChange={(event) => setName(event.target.value)}
              error={errorOf("name")}
            />
          </>
        )}
      </AccountForm>
    </div>
  );
};
