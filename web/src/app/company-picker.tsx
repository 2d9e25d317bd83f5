/** Which company of the ERP questions are about. Not there where there is no choice. */

import { Building2, ChevronDown } from "lucide-react";

import { Menu, MenuChoice } from "../components/menu";
import { toast } from "../components/toaster";
import { useText } from "../lib/i18n";
import { useCompanies } from "../transport/companies";
import { changeSettings } from "../transport/lifecycle";
import { asProblem } from "../transport/problem";

export const CompanyPicker = () => {
  const t = useText();
  const { items, current } = useCompanies();
  if (items.length < 2 || current === null) return null;
  const choose = (company: string): void => {
    changeSettings({ company }).catch((error: unknown) => toast(asProblem(error).detail, "danger"));
  };
  return (
    <Menu
      label={t.company.label}
      trigger={
        <button
          type="button"
          title={current.name}
          className="hover:bg-hover text-muted inline-flex h-9 shrink-0 items-center gap-1.5 rounded-lg px-2 text-xs font-medium transition-colors"
        >
          <Building2 aria-hidden="true" className="size-4 shrink-0" />
          <span className="sr-only">{t.company.current}</span>
          <span className="max-w-24 truncate sm:max-w-44">{current.name}</span>
          <ChevronDown aria-hidden="true" className="size-3.5 shrink-0" />
        </button>
      }
    >
      <MenuChoice
        value={current.id}
        onChange={choose}
        options={items.map((one) => ({ value: one.id, content: one.name }))}
      />
    </Menu>
  );
};
