/** A drawn chart as a file. */

/** Draws a chart for a file, under its title: a PNG as an address, an SVG as its text. */
export type DrawPicture = (format: "png" | "svg", title: string) => Promise<string>;

const save = (address: string, name: string): void => {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
};

/** Save a chart under the name of its figures. */
export const savePicture = async (
  draw: DrawPicture,
  format: "png" | "svg",
  { name, title }: { readonly name: string; readonly title: string },
): Promise<void> => {
  const drawn = await draw(format, title);
  if (format === "png") return save(drawn, `${name}.png`);
  const address = URL.createObjectURL(new Blob([drawn], { type: "image/svg+xml" }));
  save(address, `${name}.svg`);
  URL.revokeObjectURL(address);
};
