/** One of several, or any of them. */

import { INPUT } from "../../components/field";

interface FilterProps {
  readonly label: string;
  readonly any: string;
  readonly value: string;
  readonly options: readonly string[];
  /** What people read, where it is not the option itself. */
  readonly names?: Readonly<Record<string, string>>;
  readonly onChange: (value: string) => void;
}

export const Filter = ({ label, any, value, options, names, onChange }: FilterProps) => (
  <select
    aria-label={label}
    value={value}
    onChange={(event) => onChange(event.target.value)}
    className={`${INPUT} h-9 w-auto! max-w-52`}
  >
    <option value="">{any}</option>
    {options.map((option) => (
      <option key={option} value={option}>
        {names?.[option] ?? option}
      </option>
    ))}
  </select>
);
