/** How much of something is done. */

export interface ProgressBarProps {
  readonly label: string;
  readonly percent: number;
}

export const ProgressBar = ({ label, percent }: ProgressBarProps) => (
  <div
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    aria-valuenow={percent}
    className="bg-hover mt-1.5 h-1 overflow-hidden rounded-full"
  >
    <div
      className="bg-accent h-full rounded-full transition-[width] duration-300"
      style={{ width: `${Math.max(3, percent)}%` }}
    />
  </div>
);
