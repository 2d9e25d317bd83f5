/** The application: the door, or what is behind it. */

import { CloudOff } from "lucide-react";

import { Button } from "../components/button";
import { EmptyState } from "../components/empty-state";
import { ErrorBoundary } from "../components/error-boundary";
import { Logo } from "../components/logo";
import { Toaster } from "../components/toaster";
import { TooltipProvider } from "../components/tooltip";
import { AuthScreen } from "../features/auth";
import { useText } from "../lib/i18n";
import { useAccount } from "../transport/account";
import { arrive } from "../transport/lifecycle";
import { Shell } from "./shell";

export const App = () => {
  const t = useText();
  return (
    <TooltipProvider>
      <ErrorBoundary fallback={(retry) => <Broken onRetry={retry} />}>
        <Screen />
      </ErrorBoundary>
      <Toaster dismissLabel={t.common.dismiss} />
    </TooltipProvider>
  );
};

const Screen = () => {
  const status = useAccount((state) => state.status);
  if (status === "loading") return <Waiting />;
  if (status === "unreachable") return <Unreachable />;
  return status === "signed-in" ? <Shell /> : <AuthScreen />;
};

/** The same picture that the page shows before the application is there. */
const Waiting = () => {
  const t = useText();
  return (
    <div className="boot" role="status">
      <div className="boot-side">
        <span />
        <span />
        <span />
        <span />
      </div>
      <div className="boot-main">
        <Logo className="size-11" />
        <span className="sr-only">{t.common.loading}</span>
      </div>
    </div>
  );
};

const Unreachable = () => {
  const t = useText();
  return (
    <Halted
      title={t.common.unreachable}
      description={t.common.unreachableHint}
      onRetry={() => void arrive()}
    />
  );
};

const Broken = ({ onRetry }: { readonly onRetry: () => void }) => {
  const t = useText();
  return <Halted title={t.common.broken} description={t.common.brokenHint} onRetry={onRetry} />;
};

interface HaltedProps {
  readonly title: string;
  readonly description: string;
  readonly onRetry: () => void;
}

/** Nothing else can be shown; it can be tried again. */
const Halted = ({ title, description, onRetry }: HaltedProps) => {
  const t = useText();
  return (
    <main className="grid h-full place-items-center">
      <EmptyState
        icon={<CloudOff className="size-8" />}
        title={title}
        description={description}
        action={
          <Button look="primary" onClick={onRetry}>
            {t.chat.tryAgain}
          </Button>
        }
      />
    </main>
  );
};
