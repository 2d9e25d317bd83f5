/** A labelled input with its hint and its error. */

import clsx from "clsx";
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
  useId,
} from "react";

export const INPUT =
  "bg-canvas border-line-strong/60 placeholder:text-faint w-full rounded-[0.625rem] border px-3 text-sm transition-colors hover:border-line-strong aria-invalid:border-danger disabled:opacity-60";

interface FieldFrameProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null | undefined;
}

const Frame = ({
  id,
  label,
  hint,
  error,
  children,
}: FieldFrameProps & { id: string; children: ReactNode }) => (
  <div className="flex flex-col gap-1.5">
    <label htmlFor={id} className="text-sm font-medium">
      {label}
    </label>
    {children}
    {hint !== undefined && (
      <p id={`${id}-hint`} className="text-faint text-xs">
        {hint}
      </p>
    )}
    {error !== undefined && error !== null && (
      <p id={`${id}-error`} role="alert" className="text-danger text-xs">
        {error}
      </p>
    )}
  </div>
);

const described = (id: string, { hint, error }: Omit<FieldFrameProps, "label">) => ({
  "aria-invalid": error !== undefined && error !== null ? true : undefined,
  "aria-describedby":
    [hint !== undefined && `${id}-hint`, error !== undefined && error !== null && `${id}-error`]
      .filter(Boolean)
      .join(" ") || undefined,
});

type TextFieldProps = FieldFrameProps &
  InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> };

export const TextField = ({ label, hint, error, className, ...rest }: TextFieldProps) => {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <input
        id={id}
        className={clsx(INPUT, "h-10", className)}
        {...described(id, { hint, error })}
        {...rest}
      />
    </Frame>
  );
};

type AreaFieldProps = FieldFrameProps &
  TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> };

export const AreaField = ({ label, hint, error, className, ...rest }: AreaFieldProps) => {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <textarea
        id={id}
        className={clsx(INPUT, "min-h-20 py-2 leading-relaxed", className)}
        {...described(id, { hint, error })}
        {...rest}
      />
    </Frame>
  );
};
