/** Characters that hide or turn text around, made visible: what a person agrees to must be what they read. Pure. */

/** Format characters (direction marks, zero-width ones), other controls, and letters that show as nothing. */
const HIDDEN = /[\p{Cf}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]|\u034F|(?![\n\t])\p{Cc}/gu;

/** A text with each hidden character as its code, as in `⟦U+202E⟧`. */
export const visible = (text: string): string =>
  text.replace(
    HIDDEN,
    (character) => `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟧`,
  );
