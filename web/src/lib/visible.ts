/** Characters that hide or turn text around, made visible: what a person agrees to must be what they read. Pure. */

/**
 * Format characters (direction marks, zero-width ones), other controls, and whatever shows as nothing. A selector after
 * a symbol, as with emoji, only chooses how that one looks.
 */
const HIDDEN =
  /[\p{Cf}\p{Zl}\p{Zp}\u2800\u{1D159}]|(?<![\p{S}\p{P}])[\uFE00-\uFE0F]|(?![\uFE00-\uFE0F])\p{DI}|(?![\n\t])\p{Cc}/gu;

/** A text with each hidden character as its code, as in `⟦U+202E⟧`. */
export const visible = (text: string): string =>
  text.replace(
    HIDDEN,
    (character) => `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟧`,
  );
