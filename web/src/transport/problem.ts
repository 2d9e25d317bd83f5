/** What the server says when it cannot: problem+json, and the same form for a server that does not answer. */

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly errors?: readonly FieldProblem[];
}

/** A request the server refused or never answered. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail === "" ? problem.title : problem.detail);
    this.name = "ProblemError";
  }

  /** No answer came: the same request may succeed later. */
  get isUnreachable(): boolean {
    return this.problem.status === 0;
  }
}

/** The problem of a server that does not answer. */
export const UNREACHABLE: Problem = {
  type: "about:blank",
  title: "Unreachable",
  status: 0,
  detail: "The server did not answer",
  code: "UNREACHABLE",
};

/** The problem of something that was deleted while it was looked at. */
export const GONE: Problem = {
  type: "about:blank",
  title: "Gone",
  status: 404,
  detail: "It was deleted",
  code: "NOT_FOUND",
};

/** The problem in an answer's body; one that tells nothing is described by its status. */
export const problemOf = (status: number, body: unknown): Problem => {
  const problem = typeof body === "object" && body !== null ? (body as Partial<Problem>) : {};
  return {
    type: problem.type ?? "about:blank",
    title: problem.title ?? `HTTP ${status}`,
    status: problem.status ?? status,
    detail: problem.detail ?? "",
    code: problem.code ?? `HTTP_${status}`,
    ...(problem.errors === undefined ? {} : { errors: problem.errors }),
  };
};

/** Any error as a problem. */
export const asProblem = (error: unknown): Problem =>
  error instanceof ProblemError ? error.problem : { ...UNREACHABLE, detail: String(error) };
