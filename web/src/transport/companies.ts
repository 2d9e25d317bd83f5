/** The companies of the ERP that the person may read, and the one that questions are about. */

import { create } from "zustand";

import { useAccount } from "./account";
import { api } from "./api";
import type { Company } from "./api-types";

export interface CompaniesState {
  readonly items: readonly Company[];
  /** The one the server takes unless the person chooses another. */
  readonly working_in: string | null;
}

export const NO_COMPANIES: CompaniesState = { items: [], working_in: null };

const useListed = create<CompaniesState>(() => NO_COMPANIES);

/** Ask the server; an ERP that does not answer now leaves the choice away, and holds up nothing. */
export const loadCompanies = async (): Promise<void> => {
  try {
    useListed.setState(await api.erpCompanies(), true);
  } catch {
    useListed.setState(NO_COMPANIES, true);
  }
};

export const forgetCompanies = (): void => useListed.setState(NO_COMPANIES, true);

/** The company that questions are about: the chosen one while it is offered, else the server's. */
export const workingCompany = (
  { items, working_in }: CompaniesState,
  chosen: string | null | undefined,
): Company | null =>
  items.find((one) => one.id === chosen) ?? items.find((one) => one.id === working_in) ?? null;

/** The companies, and the one that is worked in. */
export const useCompanies = (): { readonly items: readonly Company[]; readonly current: Company | null } => {
  const listed = useListed();
  const chosen = useAccount((state) => state.me?.settings.company);
  return { items: listed.items, current: workingCompany(listed, chosen) };
};
