/** Sending a sign-in form: busy, refused with words for the fields, or entered. */

import { useState } from "react";

import { useText } from "../../lib/i18n";
import type { Me } from "../../transport/api-types";
import { enter } from "../../transport/lifecycle";
import { asProblem, type Problem } from "../../transport/problem";

export interface Submission {
  readonly isBusy: boolean;
  readonly failure: string | null;
  readonly errorOf: (field: string) => string | null;
  readonly submit: (request: () => Promise<Me>) => Promise<void>;
}

export const useSubmit = (): Submission => {
  const t = useText();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);

  const submit = async (request: () => Promise<Me>): Promise<void> => {
    setIsBusy(true);
    setProblem(null);
    try {
      enter(await request());
    } catch (error) {
      setProblem(asProblem(error));
      setIsBusy(false);
    }
  };
  const wordsFor = ({ status, detail, title }: Problem): string => {
    if (status === 0) return t.common.unreachable;
    if (status === 401) return t.auth.wrong;
    return status === 429 ? t.auth.tooMany : detail || title;
  };
  return {
    isBusy,
    failure: problem === null || (problem.errors?.length ?? 0) > 0 ? null : wordsFor(problem),
    errorOf: (field) => problem?.errors?.find((error) => error.field === field)?.message ?? null,
    submit,
  };
};
