/** One click into the demo. */

import { Sparkles } from "lucide-react";

import { Button } from "../../components/button";
import { useText } from "../../lib/i18n";
import { api } from "../../transport/api";
import { useSubmit } from "./use-submit";

export const DemoButton = () => {
  const t = useText();
  const { isBusy, failure, submit } = useSubmit();
  return (
    <div className="flex flex-col gap-2.5 text-center text-xs">
      <Button look="primary" size="large" isBusy={isBusy} onClick={() => void submit(api.demo)}>
        <Sparkles className="size-4" /> {t.auth.demo}
      </Button>
      {failure === null ? (
        <p className="text-muted">{t.auth.demoHint}</p>
      ) : (
        <p role="alert" className="text-danger">
          {failure}
        </p>
      )}
    </div>
  );
};
