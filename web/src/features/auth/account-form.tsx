/** What every form that leads to an account has: what went wrong, address and password, the button. */

import { type FormEvent, type ReactNode, useState } from "react";

import { Button } from "../../components/button";
import { TextField } from "../../components/field";
import { Notice } from "../../components/notice";
import { useText } from "../../lib/i18n";
import type { Me } from "../../transport/api-types";
import { useSubmit } from "./use-submit";

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface AccountFormProps {
  readonly onSubmit: (credentials: Credentials) => Promise<Me>;
  readonly submitLabel: string;
  /** Whether another way in is offered first. */
  readonly isSecond: boolean;
  /** Of a password that is chosen here; one that is known already has no limit. */
  readonly shortestPassword?: number;
  /** Fields that come before the others. */
  readonly children?: (errorOf: (field: string) => string | null) => ReactNode;
}

export const AccountForm = ({
  onSubmit,
  submitLabel,
  isSecond,
  shortestPassword,
  children,
}: AccountFormProps) => {
  const t = useText();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const { isBusy, failure, errorOf, submit } = useSubmit();
  const send = (event: FormEvent): void => {
    event.preventDefault();
    void submit(() => onSubmit({ email, password }));
  };
  const isNew = shortestPassword !== undefined;
  return (
    <form onSubmit={send} className="flex flex-col gap-4">
      {failure !== null && (
        <Notice tone="danger" role="alert">
          {failure}
        </Notice>
      )}
      {children?.(errorOf)}
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
        autoComplete={isNew ? "new-password" : "current-password"}
        required
        {...(isNew ? { minLength: shortestPassword, hint: t.auth.passwordHint(shortestPassword) } : {})}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={errorOf("password")}
      />
      <Button type="submit" look={isSecond ? "secondary" : "primary"} size="large" isBusy={isBusy}>
        {submitLabel}
      </Button>
    </form>
  );
};
