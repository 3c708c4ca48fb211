import { flushSync, mount, unmount } from 'svelte'
import { afterEach, expect, test, vi } from 'vitest'
import run from './testdata/run.json'
import series from './testdata/series.json'

// The page is a shared one by its address, which session.svelte.ts reads when it is loaded.
history.replaceState(null, '', '/shared/abc/')
const { default: Shared } = await import('./Shared.svelte')

let app: Record<string, unknown> | undefined

afterEach(async () => {
  if (app !== undefined) await unmount(app)
  document.body.replaceChildren()
  vi.unstubAllGlobals()
})

test('a shared job says who shared it, has no navigation, and asks for nothing else', async () => {
  const asked = new Set<string>()
  const answers: Record<string, unknown> = {
    '/shared/abc/session': { user: '(link abc)', role: 'visitor', may_act: false, shared: { kind: 'job', ids: [run.id], by: 'ann', until: '2026-12-27T00:00:00Z' } },
    [`/shared/abc/api/v1/jobs/${run.id}`]: run,
    [`/shared/abc/api/v1/jobs/${run.id}/series`]: series,
  }
  vi.stubGlobal('fetch', (address: string) => {
    const { pathname } = new URL(address)
    asked.add(pathname)
    const answer = answers[pathname]
    return Promise.resolve(answer === undefined ? new Response('{"detail":"no such thing"}', { status: 404 }) : new Response(JSON.stringify(answer)))
  })
  app = mount(Shared, { target: document.body })
  flushSync()
  await vi.waitFor(() => expect(document.body.textContent).toContain('NOPM'), { timeout: 60_000 })
  await vi.waitFor(() => expect(asked).toContain(`/shared/abc/api/v1/jobs/${run.id}/points`), { timeout: 60_000 })
  expect(document.body.textContent).toContain('Shared by ann, until 2026-12-27 00:00:00 UTC')
  expect(location.hash).toBe(`#/jobs/${run.id}`)
  expect(document.querySelector('nav[aria-label="Pages"]')).toBeNull()
  expect([...document.querySelectorAll('button, a')].map((each) => each.textContent).filter((text) => /share|delete|run again|edit|all jobs|note|compare/i.test(text ?? ''))).toEqual([])
  // What a link to a job may request: "visible" in internal/web/api/shares.go.
  const allowed = ['', '/series', '/points', '/timing', '/plans', '/output', '/failures', '/notes', '/live', '/users'].map((part) => `/shared/abc/api/v1/jobs/${run.id}${part}`)
  expect([...asked].filter((path) => !allowed.includes(path)).sort()).toEqual(['/shared/abc/api/v1/databases', '/shared/abc/api/v1/workloads', '/shared/abc/session'])
})
