/** Files dropped anywhere on the page are taken; a frame says so while they hover. */

import { FileUp } from "lucide-react";
import { useEffect, useRef, useState } from "react";

import { useText } from "../lib/i18n";

const bringsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;

export const DropZone = ({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) => {
  const t = useText();
  const [isOver, setIsOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  useEffect(() => {
    // Entering a child fires before leaving its parent: the drag is over when as many left as entered.
    let depth = 0;
    const enter = (event: DragEvent): void => {
      if (!bringsFiles(event)) return;
      depth += 1;
      setIsOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (!bringsFiles(event)) return;
      depth -= 1;
      if (depth <= 0) setIsOver(false);
    };
    const over = (event: DragEvent): void => {
      if (bringsFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      if (!bringsFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setIsOver(false);
      take.current([...(event.dataTransfer?.files ?? [])]);
    };
    const stops = new AbortController();
    const options = { signal: stops.signal };
    window.addEventListener("dragenter", enter, options);
    window.addEventListener("dragleave", leave, options);
    window.addEventListener("dragover", over, options);
    window.addEventListener("drop", drop, options);
    return () => stops.abort();
  }, []);
  if (!isOver) return null;
  return (
    <div className="bg-canvas/80 pointer-events-none fixed inset-3 z-50 grid place-items-center rounded-2xl border-2 border-dashed border-accent backdrop-blur-[2px]">
      <p className="text-accent flex items-center gap-3 text-lg font-semibold">
        <FileUp className="size-6" /> {t.composer.drop}
      </p>
    </div>
  );
};
