/** A drawn chart as a file. */

import type { View } from "vega";

const save = (address: string, name: string): void => {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
};

/** Save the chart that a view shows. */
export const savePicture = async (view: View, format: "png" | "svg", name: string): Promise<void> => {
  if (format === "png") return save(await view.toImageURL("png", 2), `${name}.png`);
  const address = URL.createObjectURL(new Blob([await view.toSVG()], { type: "image/svg+xml" }));
  save(address, `${name}.svg`);
  URL.revokeObjectURL(address);
};
