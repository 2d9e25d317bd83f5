/** One click into the demo. */

import type { ReactNode } from "react";

import { Button } from "../../components/button";
import { api } from "../../transport/api";
import { useSubmit } from "./use-submit";

export const DemoButton = ({ children }: { readonly children: ReactNode }) => {
  const { isBusy, failure, submit } = useSubmit();
  return (
    <>
      <Button look="primary" size="large" isBusy={isBusy} onClick={() => void submit(api.demo)}>
        {children}
      </Button>
      {failure !== null && (
        <p role="alert" className="text-danger text-center text-xs">
          {failure}
        </p>
      )}
    </>
  );
};
