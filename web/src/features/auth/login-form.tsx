/** Sign in with a password, through a company login, or straight into the demo. */

import { KeyRound } from "lucide-react";
import { type FormEvent, useState } from "react";

import { Button } from "../../components/button";
import { TextField } from "../../components/field";
import { Notice } from "../../components/notice";
import { useText } from "../../lib/i18n";
import { api } from "../../transport/api";
import type { Meta } from "../../transport/api-types";
import { DemoButton } from "./demo-button";
import { Divider } from "./divider";
import { useSubmit } from "./use-submit";

export const LoginForm = ({ meta }: { readonly meta: Meta }) => {
  const t = useText();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const { isBusy, failure, errorOf, submit } = useSubmit();
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void submit(() => api.login(email, password));
  };
  return (
    <div className="flex flex-col gap-5">
      {meta.is_demo && (
        <>
          <DemoButton />
          {meta.login.password && <Divider label={t.auth.or} />}
        </>
      )}
      {meta.login.oidc.map((provider) => (
        <a
          key={provider.id}
          href={`/api/auth/oidc/${encodeURIComponent(provider.id)}/login`}
          className="bg-raised border-line hover:bg-hover shadow-card inline-flex h-11 items-center justify-center gap-2.5 rounded-xl border text-[0.9375rem] font-medium transition-colors"
        >
          <KeyRound className="text-faint size-4" /> {t.auth.continueWith(provider.name)}
        </a>
      ))}
      {meta.login.oidc.length > 0 && meta.login.password && <Divider label={t.auth.or} />}
      {meta.login.password && (
        <form onSubmit={onSubmit} className="flex flex-col gap-4">
          {failure !== null && (
            <Notice tone="danger" role="alert">
              {failure}
            </Notice>
          )}
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
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            error={errorOf("password")}
          />
          <Button type="submit" look={meta.is_demo ? "secondary" : "primary"} size="large" isBusy={isBusy}>
            {t.auth.signIn}
          </Button>
        </form>
      )}
    </div>
  );
};
