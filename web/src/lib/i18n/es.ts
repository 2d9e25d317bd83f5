/** Spanish. */

import type { en } from "./en";
import { frame } from "./es/frame";
import { talk } from "./es/talk";

export const es: typeof en = { ...frame, ...talk };
