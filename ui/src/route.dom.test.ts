import { expect, test } from 'vitest'
import { address } from './api/client.ts'
import { helpOf, isUnder, pageOf, pages } from './pages.ts'
import { toHelp, toJob, toJobs } from './route.ts'

test.each([
  ['', pages[0]?.path],
  ['#', pages[0]?.path],
  ['#/', pages[0]?.path],
  ['#/jobs', 'jobs'],
  ['#/jobs/', 'jobs'],
  ['#/jobs?status=failed', 'jobs'],
  ['#/jobs/6B03', 'jobs/:id'],
  ['#/jobs/%', undefined],
  ['#/jobs/6B03/more/than/there/is', undefined],
  ['#/elsewhere', undefined],
])('%s belongs to the page %s', (hash, path) => {
  expect(pageOf(hash)?.page.path).toBe(path)
})

test('an address can be parsed into the values that it was made from', () => {
  expect(pageOf(toJob('a/b?c#d%'))?.params).toEqual({ id: 'a/b?c#d%' })
  const found = pageOf(toJobs({ text: 'ticket=4711 & more', status: 'failed', action: '' }))
  expect(Object.fromEntries(found?.query ?? [])).toEqual({ text: 'ticket=4711 & more', status: 'failed' })
})

test('no two pages have one address', () => {
  expect(pages.length).toBe(new Set(pages.map((page) => page.path)).size)
})

test('each page can be loaded, and belongs to a name in the navigation', async () => {
  const named = pages.filter((page) => page.name !== undefined)
  for (const page of pages) {
    expect((await page.load()).default).toBeTypeOf('function')
    expect(named.some((each) => isUnder(page, each))).toBe(true)
  }
})

test('the API has an address below any path of a proxy', () => {
  expect(address('jobs', 'http://localhost:8080/')).toBe('http://localhost:8080/api/v1/jobs')
  expect(address('jobs', 'https://example.org/tools/sledge/#/jobs/1')).toBe('https://example.org/tools/sledge/api/v1/jobs')
})

test('each page has a link to its section of the manual', () => {
  expect(helpOf(pageOf('#/scripts/a.tcl')?.page)).toBe('#/help/web?at=scripts')
  expect(helpOf(pageOf('#/help')?.page)).toBe('#/help/web')
  expect(pageOf(toHelp('commands/sledge_run', 'flags'))?.params).toEqual({ page: 'commands/sledge_run' })
})
