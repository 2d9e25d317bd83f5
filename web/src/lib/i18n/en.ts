/** English, the language the others are measured by. */

import { frame } from "./en/frame";
import { talk } from "./en/talk";

export const en = { ...frame, ...talk };
