/** Between two ways to do the same. */

export const Divider = ({ label }: { readonly label: string }) => (
  <div className="text-faint flex items-center gap-3 text-xs">
    <span className="bg-line h-px flex-1" />
    {label}
    <span className="bg-line h-px flex-1" />
  </div>
);
