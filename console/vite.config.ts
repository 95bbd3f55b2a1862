import { defineConfig } from 'vite';

// Written against the React API, built with Preact: a third of the bytes. The server embeds dist/ as it is.
export default defineConfig({
  resolve: {
    alias: [
      { find: 'react-dom/client', replacement: 'preact/compat/client' },
      { find: 'react-dom', replacement: 'preact/compat' },
      { find: 'react/jsx-runtime', replacement: 'preact/jsx-runtime' },
      { find: 'react', replacement: 'preact/compat' },
    ],
  },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // nothing inline: the content security policy allows files of this server only
    reportCompressedSize: false,
  },
  server: {
    proxy: Object.fromEntries(
      ['/_/', '/v1', '/openapi.json', '/healthz', '/readyz'].map((path) => [path, process.env.GATELEG_URL ?? 'http://127.0.0.1:8080']),
    ),
  },
});
