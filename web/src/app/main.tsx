/** Starts the application. */

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { preloadMarkdown } from "../components/markdown/markdown";
import { speakRemembered } from "../lib/i18n";
import { applyTheme, rememberedTheme } from "../lib/theme";
import { arrive } from "../transport/lifecycle";
import { App } from "./app";

applyTheme(rememberedTheme());
speakRemembered();

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no element with the id root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
void arrive();
void preloadMarkdown();
