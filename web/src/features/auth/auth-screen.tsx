/** The door: sign in, or set up the first account. */

import { Logo } from "../../components/logo";
import { Notice } from "../../components/notice";
import { useText } from "../../lib/i18n";
import { useAccount } from "../../transport/account";
import { LoginForm } from "./login-form";
import { SetupForm } from "./setup-form";

export const AuthScreen = () => {
  const t = useText();
  const { meta, status } = useAccount();
  if (meta === null) return null;
  const isSetup = meta.needs_setup && !meta.is_demo;
  return (
    <main className="bg-side grid h-full place-items-center overflow-y-auto p-4">
      <div className="animate-rise w-full max-w-[25rem] py-6">
        <div className="mb-7 flex flex-col items-center text-center">
          <Logo className="size-12" />
          <h1 className="mt-4 text-[1.375rem] font-semibold tracking-[-0.02em]">
            {isSetup ? t.auth.setupTitle : t.auth.title}
          </h1>
          <p className="text-muted mt-1 text-sm">{isSetup ? t.auth.setupLead : t.auth.lead}</p>
        </div>
        {status === "expired" && (
          <div className="mb-4">
            <Notice tone="warn" role="status">
              {t.auth.expired}
            </Notice>
          </div>
        )}
        <div className="bg-raised border-line shadow-card rounded-2xl border p-6">
          {meta.needs_setup ? <SetupForm isDemo={meta.is_demo} /> : <LoginForm meta={meta} />}
        </div>
        <p className="text-faint mt-5 text-center text-xs">
          Batuta {meta.version}
          {meta.model.is_offline && ` · ${t.model.offline}`}
        </p>
      </div>
    </main>
  );
};
