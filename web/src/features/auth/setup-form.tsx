/** The first account of a new installation: its owner. */

import { type FormEvent, useState } from "react";

import { Button } from "../../components/button";
import { TextField } from "../../components/field";
import { Notice } from "../../components/notice";
import { useText } from "../../lib/i18n";
import { api } from "../../transport/api";
import { DemoButton } from "./demo-button";
import { Divider } from "./divider";
import { useSubmit } from "./use-submit";

const SHORTEST_PASSWORD = 10;

export const SetupForm = ({ isDemo }: { readonly isDemo: boolean }) => {
  const t = useText();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const { isBusy, failure, errorOf, submit } = useSubmit();
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void submit(() => api.setup(email, name, password));
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-4">
      {isDemo && (
        <>
          <DemoButton />
          <Divider label={t.auth.orSetup} />
        </>
      )}
      {failure !== null && (
        <Notice tone="danger" role="alert">
          {failure}
        </Notice>
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
      <TextField
        label={t.auth.email}
        type="email"
        name="email"
        autoComplete="username"
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={errorOf("email")}
      />
      <TextField
        label={t.auth.password}
        type="password"
        name="password"
        autoComplete="new-password"
        required
        minLength={SHORTEST_PASSWORD}
        hint={t.auth.passwordHint(SHORTEST_PASSWORD)}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={errorOf("password")}
      />
      <Button type="submit" look={isDemo ? "secondary" : "primary"} size="large" isBusy={isBusy}>
        {t.auth.create}
      </Button>
    </form>
  );
};
