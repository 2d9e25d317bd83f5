/** The words of the interface in the chosen language. Spanish has the type of English: a missing word does not compile. */

import { create } from "zustand";

import type { Locale } from "../format";
import { recall, remember } from "../storage";
import { en } from "./en";
import { es } from "./es";

export type Dictionary = typeof en;
export type Language = "en" | "es";

const DICTIONARIES: Readonly<Record<Language, Dictionary>> = { en, es };
const KEY = "batuta.language";

const isLanguage = (language: string): language is Language => Object.hasOwn(DICTIONARIES, language);

const firstLanguage = (): Language => {
  const wished = [recall<string>(KEY, ""), ...navigator.languages.map((tag) => tag.slice(0, 2))];
  return wished.find(isLanguage) ?? "en";
};

interface LanguageState extends Locale {
  readonly language: Language;
}

const useLanguage = create<LanguageState>(() => ({ language: firstLanguage(), timezone: null }));

/** Speak a language and show times in a zone from now on. */
export const speak = (language: Language, timezone: string | null): void => {
  remember(KEY, language);
  document.documentElement.lang = language;
  useLanguage.setState({ language, timezone });
};

/** Speak the language of the last visit, or the browser's. */
export const speakRemembered = (): void => speak(firstLanguage(), null);

/** The words in the current language. */
export const useText = (): Dictionary => DICTIONARIES[useLanguage((state) => state.language)];

/** Language and time zone for the functions of `format`. */
export const useLocale = (): Locale & { readonly language: Language } => useLanguage();

/** The language spoken now. */
export const spoken = (): Language => useLanguage.getState().language;
