import { flushSync, mount, unmount } from 'svelte'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import App from '../App.svelte'
import type { Job, Jobs } from '../api/types.ts'
import build from '../testdata/build.json'
import check from '../testdata/check.json'
import failed from '../testdata/failed.json'
import list from '../testdata/jobs.json'
import queries from '../testdata/queries.json'
import run from '../testdata/run.json'
import series from '../testdata/series.json'
import { byDay, filterOf, matching } from './filter.ts'

const jobs = (list as Jobs).jobs

/** For a machine that is busy with other tests. */
const patience = { timeout: 20_000 }

/** What the API answers by the end of an address; all else is not there. */
let answers: Record<string, unknown>
let app: Record<string, unknown> | undefined

beforeEach(() => {
  vi.stubGlobal('ResizeObserver', class { observe(): void {} disconnect(): void {} })
  vi.stubGlobal('scrollTo', () => undefined)
  answers = { '/jobs': list }
  for (const job of [build, check, failed, queries, run]) answers[`/jobs/${job.id}`] = job
  answers[`/jobs/${run.id}/series`] = series
  vi.stubGlobal('fetch', (address: string) => {
    const path = new URL(address).pathname.replace(/^.*\/api\/v1/, '')
    const answer = answers[path]
    return Promise.resolve(
      answer === undefined
        ? new Response(JSON.stringify({ detail: `no job ${path}` }), { status: 404 })
        : new Response(typeof answer === 'string' ? answer : JSON.stringify(answer), { status: 200 }),
    )
  })
})

afterEach(async () => {
  if (app !== undefined) await unmount(app)
  app = undefined
  document.body.replaceChildren()
  vi.unstubAllGlobals()
})

/** Opens the pages at an address, and waits until they show a text. */
async function open(hash: string, text: string): Promise<HTMLElement> {
  location.hash = hash
  app = mount(App, { target: document.body })
  flushSync()
  await vi.waitFor(() => expect(words()).toContain(text), patience)
  return document.body
}

/** What is read on the page, with single blanks. */
function words(): string {
  return (document.body.textContent ?? '').replaceAll(/\s+/g, ' ')
}

describe('the index of jobs', () => {
  test('lists each job with its state as a sign and a word', async () => {
    const page = await open('#/jobs', `${jobs.length} jobs`)
    expect(page.querySelectorAll('tbody tr')).toHaveLength(jobs.length)
    const marks = [...page.querySelectorAll('.status')].map((mark) => mark.textContent?.trim().replaceAll(/\s+/g, ' '))
    expect(marks).toContain('✓ done')
    expect(marks).toContain('✗ failed')
    expect(page.querySelector('nav [aria-current="page"]')?.textContent).toBe('Jobs')
  })

  test('is filtered by its address, and keeps the filter in it', async () => {
    const page = await open('#/jobs?status=failed', `of ${jobs.length} jobs`)
    expect(page.querySelectorAll('tbody tr')).toHaveLength(jobs.filter((job) => job.status === 'failed').length)
    const search = page.querySelector<HTMLInputElement>('input[type=search]')
    if (search === null) throw new Error('there is no search')
    search.value = 'no such job'
    search.dispatchEvent(new Event('input', { bubbles: true }))
    flushSync()
    expect(words()).toContain('No job has all of that')
    expect(location.hash).toBe('#/jobs?text=no+such+job&status=failed')
  })

  test('asks for what stands behind the first part', async () => {
    const [first, ...others] = jobs
    vi.stubGlobal('fetch', (address: string) => {
      const before = new URL(address).searchParams.get('before')
      const part = before === null ? { ...list, jobs: [first], next: first?.id } : { ...list, jobs: before === first?.id ? others : [] }
      return Promise.resolve(new Response(JSON.stringify(part)))
    })
    const page = await open('#/jobs', `${jobs.length} jobs`)
    expect(page.querySelectorAll('tbody tr')).toHaveLength(jobs.length)
  })

  test('says what is wrong, and asks again', async () => {
    answers = {}
    const page = await open('#/jobs', 'no job /jobs')
    answers = { '/jobs': list }
    page.querySelector<HTMLButtonElement>('.trouble button')?.click()
    await vi.waitFor(() => expect(words()).toContain(`${jobs.length} jobs`), patience)
    expect(page.querySelector('.trouble')).toBeNull()
  })

  test('says so when something else than Sledge answers', async () => {
    answers = { '/jobs': '<html>a portal</html>' }
    await open('#/jobs', 'Sledge sent no document')
  })

  test('shows what people wrote as text', async () => {
    const evil = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
    answers = { '/jobs': { ...list, jobs: [{ ...jobs[0], note: evil, labels: { [evil]: evil }, database: evil }] } }
    const page = await open('#/jobs', evil)
    expect(page.querySelectorAll('main img, main script')).toHaveLength(0)
  })
})

describe('filtering', () => {
  const filter = (text: string) => matching(jobs, filterOf(new URLSearchParams({ text })))

  test('finds all words, in capitals or not, in IDs, options and names', () => {
    const one = jobs[0]
    if (one === undefined) throw new Error('there is no job')
    expect(filter(one.id.toLowerCase())).toEqual([one])
    expect(filter(`${one.workload.toUpperCase()}  ${one.id}`)).toEqual([one])
    expect(filter(`${one.id} nowhere`)).toEqual([])
    expect(filter('')).toEqual(jobs)
  })

  test('keeps days and their jobs in order', () => {
    const at = (id: string, begun?: string): Job => ({ ...(jobs[0] as Job), id, ...(begun === undefined ? {} : { begun }) })
    const days = byDay([at('3', '2026-11-23T00:00:01Z'), at('2', '2026-11-22T23:59:59Z'), at('1', '2026-11-22T01:00:00Z')])
    expect(days.map((day) => [day.day, day.jobs.map((job) => job.id)])).toEqual([
      ['2026-11-23', ['3']],
      ['2026-11-22', ['2', '1']],
    ])
  })
})

describe('a job', () => {
  test('that is a run has its figures, counts, charts and percentiles', async () => {
    const page = await open(`#/jobs/${run.id}`, 'Transactions a minute')
    const text = words()
    for (const metric of run.metrics) expect(text).toContain(metric.name)
    for (const transaction of (run as Job).transactions ?? []) expect(text).toContain(transaction.kind)
    expect(text).toContain('Counts agree')
    expect(text).toContain('p99.9')
    expect([...page.querySelectorAll('figure h2')].map((title) => title.textContent)).toEqual(['Transactions a minute', 'Response times'])
    for (const name of Object.keys(run.options)) expect(text).toContain(name)
  })

  test('has the table behind a chart when it is opened', async () => {
    const page = await open(`#/jobs/${run.id}`, 'Transactions a minute')
    const details = page.querySelector<HTMLDetailsElement>('figure details')
    if (details === null) throw new Error('there is no table')
    expect(details.querySelector('table')).toBeNull()
    details.open = true
    await vi.waitFor(() => expect(details.querySelectorAll('tbody tr')).toHaveLength(series.points.length), patience)
  })

  test('of queries has a line for each of them and the drawing of streams', async () => {
    const page = await open(`#/jobs/${queries.id}`, 'Times in seconds')
    expect(words()).toContain('Streams')
    expect(words()).toContain('query 14')
    expect(page.querySelectorAll('#kinds ~ .scroll tbody tr').length).toBeGreaterThan(20)
  })

  test('that is a build says what was loaded', async () => {
    await open(`#/jobs/${build.id}`, 'Loaded')
    for (const load of (build as Job).loaded ?? []) expect(words()).toContain(load.table)
  })

  test('that is a check says which rules hold', async () => {
    await open(`#/jobs/${check.id}`, 'Rules')
    for (const finding of (check as Job).findings ?? []) expect(words()).toContain(finding.title)
  })

  test('that failed says why', async () => {
    await open(`#/jobs/${failed.id}`, failed.reason.slice(0, 40))
    expect(words()).toContain('✗ failed')
  })

  test('whose figures do not count says so above them', async () => {
    answers[`/jobs/${run.id}`] = { ...run, status: 'invalid', reason: 'the counts disagree' }
    const page = await open(`#/jobs/${run.id}`, 'INVALID: do not use these figures')
    const worth = page.querySelector('.worth')
    const figures = page.querySelector('.figures')
    if (worth === null || figures === null) throw new Error('there are no figures')
    expect(worth.compareDocumentPosition(figures) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
  })

  test('that is not there is said to be missing', async () => {
    await open('#/jobs/0000', 'no job /jobs/0000')
  })

  test('of a state that these pages do not know is shown all the same', async () => {
    answers[`/jobs/${run.id}`] = { ...run, status: 'paused' }
    await open(`#/jobs/${run.id}`, '? paused')
  })
})

test('an address that leads nowhere says so', async () => {
  await open('#/elsewhere', 'There is no such page')
})

test('light or dark is kept', async () => {
  const page = await open('#/elsewhere', 'Colours')
  const choice = page.querySelector<HTMLSelectElement>('.theme select')
  if (choice === null) throw new Error('there is no choice')
  choice.value = 'dark'
  choice.dispatchEvent(new Event('change', { bubbles: true }))
  expect(document.documentElement.dataset['theme']).toBe('dark')
  expect(localStorage.getItem('sledge.theme')).toBe('dark')
})
