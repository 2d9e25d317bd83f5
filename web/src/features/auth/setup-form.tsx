/** The first account of a new installation: its owner. */

import { useState } from "react";

import { TextField } from "../../components/field";
import { useText } from "../../lib/i18n";
import { api } from "../../transport/api";
import { AccountForm } from "./account-form";
import { DemoButton } from "./demo-button";
import { Divider } from "./divider";

const SHORTEST_PASSWORD = 10;

export const SetupForm = ({ isDemo }: { readonly isDemo: boolean }) => {
  const t = useText();
  const [name, setName] = useState("");
  return (
    <div className="flex flex-col gap-4">
      {isDemo && (
        <>
          <DemoButton />
          <Divider label={t.auth.orSetup} />
        </>
      )}
      <AccountForm
        onSubmit={({ email, password }) => api.setup(email, name, password)}
        submitLabel={t.auth.create}
        isSecond={isDemo}
        shortestPassword={SHORTEST_PASSWORD}
      >
        {(errorOf) => (
          <TextField
            label={t.auth.name}
            name="name"
            autoComplete="name"
            required
            value={name}
            onChange={(event) => setName(event.target.value)}
            error={errorOf("name")}
          />
        )}
      </AccountForm>
    </div>
  );
};
