/** The words of files and search, apart from the others: they are loaded with the pages that need them. */

import { files as en } from "./en/files";
import { files as es } from "./es/files";
import { useLocale } from "./index";

export const useFileText = (): typeof en => (useLocale().language === "es" ? es : en);
