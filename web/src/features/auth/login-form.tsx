/** Sign in with a password, through a company login, or straight into the demo. */

import { KeyRound } from "lucide-react";

import { useText } from "../../lib/i18n";
import { api } from "../../transport/api";
import type { Meta } from "../../transport/api-types";
import { AccountForm } from "./account-form";
import { DemoButton } from "./demo-button";
import { Divider } from "./divider";

export const LoginForm = ({ meta }: { readonly meta: Meta }) => {
  const t = useText();
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
        <AccountForm
          onSubmit={({ email, password }) => api.login(email, password)}
          submitLabel={t.auth.signIn}
          isSecond={meta.is_demo}
        />
      )}
    </div>
  );
};
