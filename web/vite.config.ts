/** Build of the web application: one folder of static files that the server ships. */

import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const server = process.env["BATUTA_SERVER"] ?? "http://127.0.0.1:8021";

export default defineConfig({
  plugins: [react(), tailwindcss()],
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
