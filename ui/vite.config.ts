import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

export default defineConfig(({ mode }) => ({
  plugins: [svelte()],
  // The pages are served below any path, so files name each other relatively.
  base: './',
  build: {
    outDir: '../internal/web/pages/built/site',
    emptyOutDir: true,
    target: 'es2023',
    // The Content-Security-Policy has no data: and no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // ECharts, which is loaded when the first chart is to be drawn, is 600 kB.
    chunkSizeWarningLimit: 700,
  },
  // npm run dev asks a sledge web that runs beside it.
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
  // Without this vitest takes Svelte's part for servers.
  ...(mode === 'test' ? { resolve: { conditions: ['browser'] } } : {}),
  test: { environment: 'jsdom', include: ['src/**/*.test.ts'], setupFiles: ['src/testing.ts'], pool: 'threads', testTimeout: 30_000 },
}))
