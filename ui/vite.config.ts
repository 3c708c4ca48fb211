import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

export default defineConfig(({ mode }) => ({
  plugins: [svelte()],
  // The pages are served below any path, so they need relative addresses.
  base: './',
  build: {
    outDir: '../internal/web/pages/built/site',
    emptyOutDir: true,
    target: 'es2023',
    // The Content-Security-Policy has no data: and no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Each file costs 650 bytes of headers, and small files compress badly: the frame is one file, and the first page
        // with everything that it needs is another.
        codeSplitting: { groups: [{ name: 'index', tags: ['$initial'] }, { name: 'StartPage', test: /[\\/]StartPage\.svelte/ }] },
      },
    },
  },
  // npm run dev forwards requests to a sledge web on the same machine.
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
  // Without this vitest uses Svelte's server build.
  ...(mode === 'test' ? { resolve: { conditions: ['browser'] } } : {}),
  test: {
    pool: 'threads',
    testTimeout: 90_000,
    // A DOM takes a second for each file, so tests have it by the names of their files: those of *.dom.test.ts share one, and
    // those of *.own.test.ts have one for each file, because they load modules in another state.
    projects: [
      { extends: true, test: { name: 'plain', environment: 'node', isolate: false, include: ['src/**/*.test.ts'], exclude: ['src/**/*.{dom,own}.test.ts'] } },
      { extends: true, test: { name: 'dom', environment: 'jsdom', isolate: false, include: ['src/**/*.dom.test.ts'], setupFiles: ['src/testing.ts'] } },
      { extends: true, test: { name: 'own', environment: 'jsdom', include: ['src/**/*.own.test.ts'], setupFiles: ['src/testing.ts'] } },
    ],
  },
}))
