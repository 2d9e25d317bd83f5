/** Build of the web application: one folder of static files that the server ships. */

import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

import { firstLoad } from "./dev/first-load";

const server = process.env["BATUTA_SERVER"] ?? "http://127.0.0.1:8021";

/** Every browser that can run the application reads WOFF2; the other formats would only fatten the wheel. */
const onlyWoff2 = {
  name: "only-woff2",
  enforce: "pre" as const,
  transform: (code: string, id: string) =>
    id.endsWith("katex.min.css")
      ? code.replace(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\("[^"]*"\)/g, "")
      : null,
};

export default defineConfig({
  plugins: [onlyWoff2, react(), tailwindcss(), firstLoad],
  build: {
    outDir: "../src/batuta/server/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: {
      "/api": server,
      "/socket.io": { target: server, ws: true },
    },
  },
  test: { include: ["tests/**/*.test.{ts,tsx}"], exclude: ["tests/browser/**"] },
});
