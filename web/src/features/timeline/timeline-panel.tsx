/** Everything that happened in a turn: who, when, how long, for how much. */

import { RotateCw } from "lucide-react";
import { useCallback, useEffect, useState } from "react";

import { Button } from "../../components/button";
import { EmptyState } from "../../components/empty-state";
import { IconButton } from "../../components/icon-button";
import { Sheet } from "../../components/sheet";
import { Skeleton } from "../../components/skeleton";
import { useText } from "../../lib/i18n";
import { api } from "../../transport/api";
import type { Timeline } from "../../transport/api-types";
import { useChannel } from "../../transport/channel";
import { TimelineEntries } from "./timeline-entries";
import { TimelineSummary } from "./timeline-summary";

export interface TimelinePanelProps {
  readonly sessionId: string;
  readonly turnId: string;
  readonly onClose: () => void;
}

const TimelinePanel = ({ sessionId, turnId, onClose }: TimelinePanelProps) => {
  const t = useText();
  const [timeline, setTimeline] = useState<Timeline | "failed" | null>(null);
  const status = useChannel((state) => state.view.turns.find((turn) => turn.turn_id === turnId)?.status);
  const load = useCallback(() => {
    api.timeline(sessionId, turnId).then(setTimeline, () => setTimeline("failed"));
  }, [sessionId, turnId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn that ends has more to tell
  useEffect(load, [load, status]);
  return (
    <Sheet
      isOpen
      onClose={onClose}
      title={t.timeline.title}
      closeLabel={t.common.close}
      className="max-w-3xl"
      actions={
        <IconButton label={t.timeline.refresh} size="small" onClick={load}>
          <RotateCw className="size-4" />
        </IconButton>
      }
    >
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">
        {timeline === null && <Loading />}
        {timeline === "failed" && (
          <EmptyState
            icon={<RotateCw className="size-6" />}
            title={t.timeline.failed}
            action={<Button onClick={load}>{t.chat.tryAgain}</Button>}
          />
        )}
        {timeline !== null && timeline !== "failed" && (
          <>
            <TimelineSummary timeline={timeline} />
            <TimelineEntries timeline={timeline} />
          </>
        )}
      </div>
    </Sheet>
  );
};

export default TimelinePanel;

const Loading = () => (
  <div aria-hidden="true" className="flex flex-col gap-2.5">
    <Skeleton className="mb-5 h-16 rounded-card" />
    {["a", "b", "c", "d", "e", "f"].map((key) => (
      <Skeleton key={key} className="h-8" />
    ))}
  </div>
);
