import { flushSync, mount, unmount } from 'svelte'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import App from '../App.svelte'
import type { Job, Jobs } from '../api/types.ts'
import build from '../testdata/build.json'
import check from '../testdata/check.json'
import failed from '../testdata/failed.json'
import list from '../testdata/jobs.json'
import queries from '../testdata/queries.json'
import { session } from '../session.svelte.ts'
import run from '../testdata/run.json'
import series from '../testdata/series.json'
import { askedOf, filterOf } from './filter.ts'
import { nameOf, read, savedFilters } from './savedfilters.svelte.ts'

const jobs = (list as Jobs).jobs

/** Long enough for a machine that is busy with other tests. */
const patience = { timeout: 60_000 }

/** The responses of the API by the end of an address; other addresses do not exist. */
let answers: Record<string, unknown>
let app: Record<string, unknown> | undefined

beforeEach(() => {
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
  history.replaceState(null, '', hash) // fires no event
  app = mount(App, { target: document.body })
  flushSync()
  await vi.waitFor(() => expect(words()).toContain(text), patience)
  return document.body
}

/** Turns to a tab of the job's page, and waits for a text. */
async function turn(tab: string, text: string): Promise<void> {
  location.hash = `${location.hash.split('?')[0]}?tab=${tab}`
  dispatchEvent(new HashChangeEvent('hashchange'))
  await vi.waitFor(() => expect(words()).toContain(text), patience)
}

/** Opens the menu of further actions. */
async function more(page: HTMLElement): Promise<void> {
  for (const summary of page.querySelectorAll('summary')) if (summary.textContent?.startsWith('More')) summary.click()
  await vi.waitFor(() => expect(words()).toContain('Delete this job'), patience)
}

/** The text of the page, with single spaces. */
function words(): string {
  return (document.body.textContent ?? '').replaceAll(/\s+/g, ' ')
}

test('a page does not get the parameters of the next address', async () => {
  const asked: string[] = []
  const answering = globalThis.fetch
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(new URL(address).pathname)
    return answering(address)
  })
  await open(`#/jobs/${run.id}?tab=details`, 'Server settings')
  location.hash = '#/jobs'
  dispatchEvent(new HashChangeEvent('hashchange'))
  await vi.waitFor(() => expect(words()).toContain(`${jobs.length} jobs`), patience)
  expect(asked.filter((path) => path.endsWith('/jobs/'))).toEqual([])
})

describe('the list of jobs', () => {
  test('lists each job with its state as a sign and a word', async () => {
    const page = await open('#/jobs', `${jobs.length} jobs`)
    expect(page.querySelectorAll('tbody tr.row')).toHaveLength(jobs.length)
    const marks = [...page.querySelectorAll('.status')].map((mark) => mark.textContent?.trim().replaceAll(/\s+/g, ' '))
    expect(marks).toContain('✓ done')
    expect(marks).toContain('✗ failed')
    expect(page.querySelector('nav [aria-current="page"]')?.textContent).toBe('Jobs')
    expect([...page.querySelectorAll('nav div')].map((group) => group.textContent?.trim().split(/\s+/)[0])).toEqual(['Test', 'Results', 'Tools'])
  })

  test('reads the filter from the address, and writes it there', async () => {
    const asked: string[] = []
    const answering = globalThis.fetch
    vi.stubGlobal('fetch', (address: string) => {
      asked.push(address)
      return answering(address)
    })
    const page = await open('#/jobs?status=failed', 'that match')
    // The request is sent once, while the page's file is loaded.
    expect(asked.filter((address) => new URL(address).search === '?status=failed&limit=40&brief=true')).toHaveLength(1)
    const search = page.querySelector<HTMLInputElement>('input[type=search]')
    if (search === null) throw new Error('there is no search')
    answers['/jobs'] = { ...list, jobs: [] }
    search.value = 'no such job'
    search.dispatchEvent(new Event('input', { bubbles: true }))
    await vi.waitFor(() => expect(words()).toContain('No job matches'), patience)
    expect(asked.some((address) => new URL(address).search === '?text=no+such+job&status=failed&limit=40&brief=true')).toBe(true)
    expect(location.hash).toBe('#/jobs?text=no+such+job&status=failed')
    // The link to all jobs then shows all, although the page has written that address itself.
    answers['/jobs'] = list
    location.hash = '#/jobs?status=failed'
    dispatchEvent(new HashChangeEvent('hashchange'))
    await vi.waitFor(() => expect(words()).toContain('that match'), patience)
    expect(search.value).toBe('')
  })

  test('shows the second part by itself, and older jobs on request', async () => {
    const [first, second, ...others] = jobs
    const parts: Record<string, object> = {
      '': { jobs: [first], next: first?.id, total: jobs.length },
      [first?.id ?? '']: { jobs: [second], next: second?.id },
      [second?.id ?? '']: { jobs: others },
    }
    const answering = globalThis.fetch
    vi.stubGlobal('fetch', (address: string) => {
      const { pathname, searchParams } = new URL(address)
      return pathname.endsWith('/jobs') ? Promise.resolve(new Response(JSON.stringify({ ...list, ...parts[searchParams.get('before') ?? ''] }))) : answering(address)
    })
    const page = await open('#/jobs', `The first 2 of ${jobs.length} jobs`)
    const older = [...page.querySelectorAll('button')].find((button) => button.textContent === 'Show more jobs')
    older?.click()
    await vi.waitFor(() => expect(page.querySelectorAll('tbody tr.row')).toHaveLength(jobs.length), patience)
  })

  test('marks the best run, and compares two chosen runs', async () => {
    const runs = jobs.filter((job) => job.action === 'run').slice(0, 2)
    answers['/best'] = { schema: 'sledge-best-1', best: [{ id: run.id }] }
    const page = await open('#/jobs', '★ best')
    for (const { id } of runs) page.querySelector<HTMLInputElement>(`input[aria-label="Select job ${(id ?? '').slice(0, 12)}"]`)?.click()
    flushSync()
    const link = [...page.querySelectorAll('a')].find((each) => each.textContent === 'Compare')
    expect(link?.getAttribute('href')).toBe(`#/jobs/compare?ids=${runs.map(({ id }) => id).reverse().join('%2C')}`)
  })

  test('shows each day once, numbers the rows, and chooses ranges with Shift and the arrows', async () => {
    const page = await open('#/jobs', `${jobs.length} jobs`)
    const rows = [...page.querySelectorAll('tbody tr')]
    expect(rows.map((row) => row.getAttribute('aria-rowindex'))).toEqual(rows.map((_, n) => String(n + 2)))
    expect(page.querySelector('table')?.getAttribute('aria-rowcount')).toBe(String(rows.length + 1))
    expect([...page.querySelectorAll('tr.day')].map((row) => row.textContent)).toEqual([...new Set(jobs.map((job) => job.begun?.slice(0, 10)))])
    const boxes = [...page.querySelectorAll<HTMLInputElement>('tbody input')]
    const chosen = (): number[] => {
      flushSync()
      return boxes.flatMap((box, n) => (box.checked ? [n] : []))
    }
    boxes[1]?.click()
    boxes[3]?.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: true }))
    expect(chosen()).toEqual([1, 2, 3])
    const press = (n: number, key: string, more = {}): unknown => boxes[n]?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }))
    press(3, 'Escape')
    expect(chosen()).toEqual([])
    press(1, 'ArrowUp', { shiftKey: true })
    expect([chosen(), document.activeElement]).toEqual([[0, 1], boxes[0]])
    press(0, 'a', { ctrlKey: true })
    expect(chosen()).toHaveLength(jobs.length)
  })

  test('a filter has a period and an order, and can be saved', async () => {
    const filter = (text: string) => filterOf(new URLSearchParams(text))
    expect(askedOf(filter('period=dates&since=2026-11-01&until=2026-11-02'))).toMatchObject({ since: '2026-11-01T00:00:00.000Z', until: '2026-11-03T00:00:00.000Z' })
    const { since = '', until } = askedOf(filter('period=7d'))
    expect([Math.abs(Date.now() - 7 * 86_400_000 - Date.parse(since)) <= 60_000, until]).toEqual([true, ''])
    expect(nameOf(filter('status=failed&database=pg&period=7d&sort=longest&label=kernel'), (name) => name.toUpperCase())).toBe('kernel, FAILED, PG, last 7 days, longest first')
    expect(read('[{"name":"a","address":"#/jobs?text=x"},{"name":"b","address":"https://example.org"},3]')).toEqual([{ name: 'a', address: '#/jobs?text=x' }])
    expect(read('{')).toEqual([])
    const page = await open('#/jobs?label=kernel&sort=highest', 'highest result first')
    expect(page.querySelector('tr.day')).toBeNull()
    expect(page.querySelector('[aria-sort]')?.textContent).toBe('result')
    const button = (name: string): HTMLButtonElement | undefined => [...page.querySelectorAll('button')].find(({ textContent }) => textContent === name)
    button('Save filter')?.click()
    flushSync()
    expect(page.querySelector('.saved a')?.getAttribute('href')).toBe('#/jobs?label=kernel&sort=highest')
    expect(button('Save filter')).toBeUndefined()
    page.querySelector<HTMLButtonElement>('.saved button')?.click()
    flushSync()
    expect([savedFilters.list, page.querySelector('.saved')]).toEqual([[], null])
  })

  test('deletes the selected jobs only after a confirmation', async () => {
    const asked: string[] = []
    const answering = globalThis.fetch
    vi.stubGlobal('fetch', (address: string, options?: RequestInit) => {
      if (options?.method === 'DELETE') asked.push(new URL(address).pathname)
      return options?.method === 'DELETE' ? Promise.resolve(new Response('{}')) : answering(address)
    })
    HTMLDialogElement.prototype.showModal = function (this: HTMLDialogElement) {
      this.open = true
    }
    const page = await open('#/jobs', `${jobs.length} jobs`)
    const [one] = jobs
    if (one === undefined) throw new Error('there is no job')
    page.querySelector<HTMLInputElement>(`input[aria-label="Select job ${one.id.slice(0, 12)}"]`)?.click()
    flushSync()
    const question = (answer: string): void => {
      page.querySelector<HTMLButtonElement>('.chosen .danger')?.click()
      flushSync()
      const dialog = page.querySelector('dialog')
      if (dialog === null) throw new Error('there is no question')
      expect(dialog.textContent).toContain(one.id.slice(0, 12))
      dialog.returnValue = answer
      dialog.dispatchEvent(new Event('close'))
      flushSync()
    }
    question('no')
    expect(asked).toEqual([])
    question('yes')
    await vi.waitFor(() => expect(words()).toContain('1 job was deleted'), patience)
    expect(asked).toEqual([`/api/v1/jobs/${one.id}`])
    expect(page.querySelectorAll('tbody tr.row')).toHaveLength(jobs.length - 1)
  })

  test('shows all controls to the role look, and disables those that would be refused', async () => {
    answers['/session'] = { user: 'lou', role: 'look', may_act: false, read_only: false }
    const page = await open('#/jobs', `${jobs.length} jobs`)
    await vi.waitFor(() => expect(words()).toContain('may look'), patience)
    page.querySelector<HTMLInputElement>('tbody input[type=checkbox]')?.click()
    flushSync()
    const button = page.querySelector<HTMLButtonElement>('.chosen .danger')
    expect(button?.disabled).toBe(true)
    expect(button?.title).toContain('Your role is look')
    answers['/session'] = { user: 'link', role: 'act', may_act: true, read_only: false }
    await session.ask()
  })

  test('shows an error, and requests again', async () => {
    answers = {}
    const page = await open('#/jobs', 'no job /jobs')
    answers = { '/jobs': list }
    page.querySelector<HTMLButtonElement>('.trouble button')?.click()
    await vi.waitFor(() => expect(words()).toContain(`${jobs.length} jobs`), patience)
    expect(page.querySelector('.trouble')).toBeNull()
  })

  test('reports a response that is not of Sledge', async () => {
    answers = { '/jobs': '<html>a portal</html>' }
    await open('#/jobs', 'Sledge sent no document')
  })

  test('shows notes and labels as text, not as markup', async () => {
    const evil = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
    answers = { '/jobs': { ...list, jobs: [{ ...jobs[0], note: evil, labels: { [evil]: evil }, database: evil }] } }
    const page = await open('#/jobs', evil)
    expect(page.querySelectorAll('main img, main script')).toHaveLength(0)
  })
})

describe('a job', () => {
  test('shows the figures, counts, charts and percentiles of a run', async () => {
    const page = await open(`#/jobs/${run.id}`, 'Throughput')
    for (const metric of run.metrics.slice(0, 2)) expect(words()).toContain(metric.name)
    expect([...page.querySelectorAll('figure h2')].map((title) => title.textContent)).toEqual(['Throughput', 'Response times'])
    await turn('transactions', 'p99.9')
    const text = words()
    for (const transaction of (run as Job).transactions ?? []) expect(text).toContain(transaction.kind)
    expect(text).toContain('Counts: ok')
    await turn('details', 'All other options')
    for (const name of Object.keys(run.options)) expect(words()).toContain(name)
  })

  test('shows the table of a chart when it is opened', async () => {
    const page = await open(`#/jobs/${run.id}`, 'Throughput')
    const details = page.querySelector<HTMLDetailsElement>('figure details')
    if (details === null) throw new Error('there is no table')
    expect(details.querySelector('table')).toBeNull()
    details.open = true
    await vi.waitFor(() => expect(details.querySelectorAll('tbody tr')).toHaveLength(series.points.length), patience)
  })

  test('shows a row for each query, and the timeline of streams', async () => {
    const page = await open(`#/jobs/${queries.id}`, 'Streams')
    await turn('transactions', 'Times in seconds')
    expect(words()).toContain('query 14')
    expect(page.querySelectorAll('#kinds ~ .scroll tbody tr').length).toBeGreaterThan(20)
  })

  test('shows the report of the server in a tab of its own', async () => {
    answers[`/jobs/${run.id}`] = { ...run, server_report: { title: 'MONREPORT', seconds: 60, text: 'Wait times\n  READS <b>12</b>' } }
    const page = await open(`#/jobs/${run.id}`, 'Report of the server')
    expect(words()).not.toContain('Wait times')
    await turn('server', 'MONREPORT')
    expect(page.querySelector('pre')?.textContent).toBe('Wait times\n  READS <b>12</b>')
  })

  test('shows what was sampled beside a run: its machine, and the sessions of the server', async () => {
    const at = (second: number): string => new Date(Date.parse(series.points[0]?.at ?? '') + 1000 * second).toISOString()
    const sampled = (name: string, unit: string, labels: Record<string, string>, values: number[]) => ({ name, unit, labels, points: values.map((value, n) => ({ at: at(n), value })) })
    answers[`/jobs/${run.id}/samples`] = {
      schema: 'sledge-samples-1',
      id: run.id,
      axis: at(-1),
      series: [
        sampled('CPU', '%', { machine: 'client', mode: 'user' }, [40, 50]),
        sampled('network problems', 'a second', { machine: 'client', problem: 'drops' }, [0, 0]),
        sampled('active sessions', '', { class: 'lock' }, [1, 2]),
        sampled('active sessions', '', { class: 'cpu' }, [3, 2]),
      ],
    }
    answers[`/jobs/${run.id}/activity`] = { schema: 'sledge-activity-1', id: run.id, width_seconds: 1, samples: 0, intervals: [], shares: [] }
    const parts = (lag: number, network: number, cpu: number, lock: number) => [{ name: 'start lag', ms: lag }, { name: 'client', ms: 0 }, { name: 'network', ms: network, standard_error_ms: 0.25 }, { name: 'cpu', ms: cpu, standard_error_ms: 0.5 }, { name: 'lock', ms: lock, standard_error_ms: 0.5 }]
    const transactions = [{ kind: 'new order', response_ms: 10, samples: 90, parts: parts(0.05, 2, 3.95, 4) }, { kind: 'payment', response_ms: 5, samples: 10, parts: parts(0, 0, 5, 0) }]
    const shares = [{ sessions: 75, class: 'cpu', statement: 'SELECT neword(?)', transaction: 'new order' }, { sessions: 25, class: 'lock', wait: 'Lock/tuple', statement: '<b>UPDATE</b>' }, { sessions: 9, class: 'write', wait: 'IO/DataFileWrite', background: 'checkpointer' }]
    answers[`/jobs/${run.id}`] = { ...run, activity: { samples: 50, missed: 2, coarse: 'it is off', shares, joined: { certain: 100 }, transactions } }
    const page = await open(`#/jobs/${run.id}?tab=machine`, '0 all the time: network problems.')
    const shown = (): (string | null)[] => [...page.querySelectorAll('.charts h2')].filter((title) => title.closest('[hidden]') === null).map((title) => title.textContent)
    expect(shown()).toEqual(['CPU'])
    if (app !== undefined) await unmount(app)
    document.body.replaceChildren()
    await open(`#/jobs/${run.id}?tab=sessions`, '2.00 sessions were active on average in the measured time, by 50 samples; 2 more were missed')
    await vi.waitFor(() => expect(shown()).toEqual(['Active sessions']), patience)
    const rows = [...page.querySelectorAll('.tables tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))
    expect(rows).toContainEqual(['1.50', 'cpu', '75.0 % ± 4.3', 'cpu', ''])
    expect(rows).toContainEqual(['0.50', 'lock', '25.0 % ± 4.3', 'lock', 'Lock/tuple'])
    expect(rows).toContainEqual(['0.50', 'lock', '25.0 % ± 4.3', '', '<b>UPDATE</b>'])
    expect(rows).toContainEqual(['1.50', 'cpu', '75.0 % ± 4.3', 'new order', 'SELECT neword(?)'])
    expect(words()).toContain('checkpointer')
    expect(words()).toContain('The samples are coarse: it is off.')
    const split = page.querySelector('section:has(.bars)')
    expect([...(split?.querySelectorAll('.bars rect') ?? [])].map((rect) => [rect.getAttribute('x'), rect.getAttribute('width')])).toEqual([['0%', '20%'], ['20%', '39.5%'], ['59.5%', '40%'], ['0%', '0%'], ['0%', '50%'], ['50%', '0%']])
    expect([...(split?.querySelectorAll('tbody tr') ?? [])].map((row) => row.textContent)).toEqual(['new order10.02.00 ± 0.2503.95 ± 0.5004.00 ± 0.50090', 'payment5.00– 5.00 ± 0.500– 10'])
  })

  test('shows the sessions of the server over time, by transaction, of a part and of a row', async () => {
    const at = series.points[0]?.at ?? ''
    const share = (of: Record<string, string>, over: number[]) => ({ ...of, sessions: over.reduce((sum, n) => sum + n, 0), over_time: over })
    answers[`/jobs/${run.id}/samples`] = { schema: 'sledge-samples-1', id: run.id, axis: at, series: [] }
    answers[`/jobs/${run.id}/activity`] = {
      schema: 'sledge-activity-1', id: run.id, axis: at, width_seconds: 1, samples: 15, server_machine: 'client', server_cpus: 8,
      intervals: [1, 2, 3].map((second) => ({ at_seconds: second, samples: 5 })),
      shares: [
        share({ class: 'cpu', transaction: 'payment', statement: 'SELECT payment(?)' }, [10, 5, 0]),
        share({ class: 'lock', wait: 'Lock/tuple', transaction: 'new order', statement: 'SELECT neword(?)' }, [0, 5, 10]),
        share({ class: 'network', wait: 'Client/ClientRead', program: 'psql', statement: '<b>UPDATE</b>' }, [0, 0, 5]),
      ],
    }
    answers[`/jobs/${run.id}`] = { ...run, activity: { samples: 15, shares: [] } }
    const page = await open(`#/jobs/${run.id}?tab=sessions&from=0&until=2`, '2.00 sessions were active on average from 0:00 to 0:02, by 10 samples')
    const lines = (): string[] => [...page.querySelectorAll('figure:not([hidden] *) .key bdi')].map((each) => each.textContent)
    expect(lines()).toEqual(['cpu', 'lock', 'network'])
    const press = async (name: string, text: string): Promise<void> => {
      const found = [...page.querySelectorAll('button')].find((button) => button.textContent.includes(name) && button.closest('[hidden]') === null)
      found?.click()
      await vi.waitFor(() => expect(words()).toContain(text), patience)
    }
    await press('transaction', 'other programs')
    expect(lines()).toEqual(['new order', 'payment', 'other programs'])
    await press('SELECT payment(?)', '1.50 sessions were active on average from 0:00 to 0:02, of those chosen')
    expect([...page.querySelectorAll('.tables > :last-child tbody tr')].map((row) => row.textContent)).toEqual(['1.50 cpu 100.0 % ± 0.0cpucpu'])
    expect(words()).not.toContain('The CPUs of the server')
    await press('Whole run', 'on average in the measured time, of those chosen')
  })

  test('shows how the resources of the machines were used', async () => {
    answers[`/jobs/${run.id}/samples`] = { schema: 'sledge-samples-1', id: run.id, axis: run.begun, series: [] }
    const use = (resource: string, more: object) => ({ machine: 'client', resource, aspect: 'utilization', measure: 'in use', unit: '%', ...more })
    const uses = [
      use('CPU', { limit: 90, values: { mean: 61.25, worst: 97, worst_at_seconds: 12, seconds: 60, over_seconds: 3 } }),
      use('CPU', { aspect: 'saturation', measure: 'stolen by the host' }),
      use('disk', { of: '<b>sda</b>', values: { mean: 0.256, worst: 1234.5, worst_at_seconds: 0, seconds: 60 } }),
    ]
    answers[`/jobs/${run.id}`] = { ...run, resources: { server: 'client', server_cores: 2, uses } }
    const page = await open(`#/jobs/${run.id}?tab=machine`, 'Resources')
    expect([...page.querySelectorAll('section[aria-labelledby="resources"] tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
      ['client (server)', 'CPU', 'utilization', 'in use (%)', '61.3', '97.0', '12 s', '90 in 3 of 60 s'],
      ['', '', 'saturation', 'stolen by the host (%)', 'not measured'],
      ['client (server)', 'disk <b>sda</b>', 'utilization', 'in use (%)', '0.26', '1,235', '0 s', ''],
    ])
  })

  test('shows what the server counted', async () => {
    answers[`/jobs/${run.id}/samples`] = { schema: 'sledge-samples-1', id: run.id, axis: run.begun, series: [] }
    const counters = [
      { source: 'pg_stat_wal', name: 'wal_bytes', means: 'WAL written, by its position', unit: 'bytes', value: 412_000_000, per_second: 6_866_667, per_transaction: 1310, summary: true },
      { source: 'pg_stat_wal', name: 'wal_sync', means: 'flushes of WAL', value: 0 },
      { source: 'pg_stat_user_tables', name: 'seq_scan', means: 'scans of whole tables', value: 1234, per_second: 20.57, parts: [{ of: '<b>stock</b>', value: 1234 }] },
    ]
    const top = [
      { id: '1', text: 'SELECT payment(?)', calls: 1000, seconds: 3, rows: 1000, plans_seen_seconds: [0.9, 42.3] },
      { id: '2', text: 'SELECT 1', calls: 4, seconds: 0.5, rows: 8, plans_seen_seconds: [0.9] },
      { id: '3', text: 'CALL delivery(?)', calls: 4, seconds: 0.1, rows: 0, no_plan: 'only <b>SELECT</b> has plans' },
    ]
    const plan = (statement: string, at: number, step: string): object => ({ statement, query: '', stream: 0, seconds: 0.001, first_seen_seconds: at, lines: [{ text: 'Limit  (cost=1)', step: 'Limit' }, { text: `  ${step}  (cost=1)`, step: `  ${step}` }] })
    answers[`/jobs/${run.id}/plans`] = { schema: 'sledge-plans-1', runs: [{ id: run.id, plans: [plan('1', 0.9, 'Index Scan'), plan('1', 42.3, 'Seq Scan'), plan('2', 0.9, 'Result')] }] }
    answers[`/jobs/${run.id}`] = { ...run, server_counters: { seconds: 60, counters, missing: [{ source: 'pg_stat_slru', why: 'permission denied' }] }, statements: { seconds: 60, top, others: 3, others_seconds: 0.5 } }
    const page = await open(`#/jobs/${run.id}?tab=counters`, 'Top statements')
    await vi.waitFor(() => expect(page.querySelectorAll('.plans pre').length).toBe(3), patience)
    const rows = [...page.querySelectorAll('tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))
    expect(rows).toContainEqual(['73.2 %', '1,000', '3', '1', 'changed in second 42', 'SELECT payment(?)'])
    expect(rows).toContainEqual(['12.2 %', '4', '125', '2', 'same', 'SELECT 1'])
    expect([...page.querySelectorAll('.plans mark')].map((mark) => mark.textContent)).toEqual(['  Index Scan  (cost=1)', '  Seq Scan  (cost=1)'])
    expect(page.querySelector('.plans pre')?.textContent).toBe('Limit  (cost=1)\n  Index Scan  (cost=1)\n')
    expect([...page.querySelectorAll('details[open]')].length).toBe(1)
    expect(words()).toContain('First seen in second 42')
    expect(words()).toContain('No plan: only <b>SELECT</b> has plans.')
    expect(rows).toContainEqual(['seq_scan', '1,234', '20.6', '', 'scans of whole tables'])
    expect(rows).toContainEqual(['<b>stock</b>', '1,234', '', '', ''])
    expect(rows.map(([name]) => name)).not.toContain('wal_sync')
    expect(words()).toContain('a transaction')
    expect(words()).toContain('pg_stat_slru: not measured: permission denied')
  })

  test('shows the tables that a build loaded', async () => {
    await open(`#/jobs/${build.id}`, 'Loaded')
    for (const load of (build as Job).loaded ?? []) expect(words()).toContain(load.table)
  })

  test('shows the rules of a check', async () => {
    await open(`#/jobs/${check.id}`, 'Rules')
    for (const finding of (check as Job).findings ?? []) expect(words()).toContain(finding.title)
  })

  test('shows why it failed', async () => {
    answers[`/jobs/${failed.id}/series`] = { ...series, points: [] }
    await open(`#/jobs/${failed.id}`, failed.reason.slice(0, 40))
    expect(words()).toContain('✗ failed')
  })

  test('offers no measurements if it has none', async () => {
    const offered = async (points: typeof series.points): Promise<string> => {
      answers[`/jobs/${run.id}`] = { ...run, transactions: run.transactions.map((one) => ({ ...one, done: 0 })) }
      answers[`/jobs/${run.id}/series`] = { ...series, points }
      const page = await open(`#/jobs/${run.id}?tab=transactions`, 'No transaction was done')
      await new Promise((done) => setTimeout(done, 50)) // for the seconds
      await more(page)
      return words()
    }
    const text = await offered([])
    for (const absent of ['Response times of the ramp-up', 'Export CSV']) expect(text).not.toContain(absent)
    if (app !== undefined) await unmount(app)
    document.body.replaceChildren()
    const whole = await offered(series.points)
    for (const present of ['Response times of the ramp-up', 'Export CSV']) expect(whole).toContain(present)
  })

  test('shows above its figures that they are invalid', async () => {
    answers[`/jobs/${run.id}`] = { ...run, status: 'invalid', reason: 'the counts disagree', worth: 'INVALID: do not use these figures' }
    const page = await open(`#/jobs/${run.id}`, 'INVALID: do not use these figures')
    const worth = page.querySelector('.worth')
    const figures = page.querySelector('.figures')
    if (worth === null || figures === null) throw new Error('there are no figures')
    expect(worth.compareDocumentPosition(figures) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
  })

  test('shows a missed threshold in words', async () => {
    answers[`/jobs/${run.id}`] = { ...run, status: 'missed', worth: 'MISSED A THRESHOLD: the figures are valid', grounds: [{ tone: 'bad', name: 'Thresholds', text: 'p99 is 8 ms instead of at most 5 ms' }] }
    const page = await open(`#/jobs/${run.id}`, 'MISSED A THRESHOLD: the figures are valid')
    for (const text of ['▽ missed', 'p99 is 8 ms instead of at most 5 ms']) expect(page.textContent).toContain(text)
  })

  test('is not marked as good if it has caveats', async () => {
    const shown = async (...tones: string[]): Promise<string> => {
      answers[`/jobs/${run.id}`] = { ...run, status: 'succeeded', grounds: tones.map((tone, i) => ({ tone, name: `Ground ${i}`, text: 'a reason' })) }
      if (app !== undefined) await unmount(app)
      document.body.replaceChildren()
      const page = await open(`#/jobs/${run.id}`, 'Run again')
      const mark = page.querySelector('.title .status')
      return `${mark?.className} ${mark?.textContent}`
    }
    expect(await shown('good')).toMatch(/good.*✓ done$/)
    expect(await shown('good', 'doubtful')).toMatch(/doubtful.*! done, 1 caveat$/)
    expect(await shown('doubtful', 'bad')).toMatch(/bad.*! done, 2 caveats$/)
  })

  test('is reported as missing if it does not exist', async () => {
    await open('#/jobs/0000', 'no job /jobs/0000')
  })

  test('is shown with an unknown status', async () => {
    answers[`/jobs/${run.id}`] = { ...run, status: 'paused' }
    await open(`#/jobs/${run.id}`, '? paused')
  })
})

test('the page of a running build becomes its record when it ends', async () => {
  let end = (): void => undefined
  answers[`/jobs/${build.id}`] = { ...build, status: 'running', loaded: undefined }
  vi.stubGlobal('EventSource', class {
    addEventListener(name: string, told: (event: object) => void): void {
      if (name === 'over') end = () => told({ data: JSON.stringify({ ...build, loaded: undefined }) })
    }
    close(): void {}
  })
  // Links of earlier versions lead to the same page.
  const page = await open(`#/run/${build.id}`, '▶ running')
  expect(location.hash).toBe(`#/jobs/${build.id}`)
  answers[`/jobs/${build.id}`] = build
  end()
  await vi.waitFor(() => expect(words()).toContain('Loaded'))
  for (const load of (build as Job).loaded ?? []) expect(words()).toContain(load.table)
  expect(page.querySelector('.title .status')?.textContent).toContain('✓ done')
})

describe('comparisons and profiles', () => {
  const figure = { name: 'NOPM', values: [100, 150], ratios: [1, 1.5] }

  test('comparisons of runs show differences, figures, and curves on the same axes', async () => {
    answers['/compare'] = {
      schema: 'sledge-comparison-1',
      runs: [run, { ...run, id: queries.id }].map(({ id, begun, database, workload, users }) => ({ id, begun, database, workload, users, status: 'succeeded', elapsed_seconds: 5 })),
      differences: [{ name: 'client_sql', option: true, values: ['false', 'true'] }],
      figures: [figure],
    }
    answers[`/jobs/${queries.id}/series`] = { ...series, id: queries.id }
    answers[`/jobs/${run.id}/histograms`] = { id: run.id, histograms: [{ kind: 'payment', response_histogram: 'HISTFAAAADV42pJpmSzMwMDAxwABzFCakYGB2c1gxwIG+w8Qge9cTMcXM7IdVmG6G7VAHhAAAP//tj0JrA==' }] }
    answers[`/jobs/${queries.id}/histograms`] = { id: queries.id, histograms: [] }
    const page = await open(`#/jobs/compare?ids=${run.id},${queries.id}`, 'Transactions a minute')
    expect(words()).toContain('client_sqlfalsetrue')
    const cells = [...page.querySelectorAll('#figures ~ .scroll tbody tr:first-child > *')].map((cell) => cell.textContent?.trim())
    expect(cells).toEqual(['NOPM', '100.0', '150.0', '+50.0 %'])
    await vi.waitFor(() => expect(words()).toMatch(/\d equal settings?/), patience)
    expect([...page.querySelectorAll('figure h2')].map((title) => title.textContent)).toEqual(['Transactions a minute', 'p95 of response times', 'Distribution of response times'])
    const baseline = page.querySelector<HTMLSelectElement>('.filters select')
    if (baseline === null) throw new Error('there is no baseline')
    baseline.value = queries.id
    baseline.dispatchEvent(new Event('change', { bubbles: true }))
    expect(location.hash).toBe(`#/jobs/compare?ids=${queries.id}%2C${run.id}`)
  })

  test('profiles show the curves over numbers of users, and the progress of the sequence', async () => {
    const point = (users: number) => ({ users, runs: 1, metrics: run.metrics, response: run.all.response })
    answers['/profiles/3'] = { schema: 'sledge-profile-1', profile: 3, runs: [run], points: [point(1), point(2)] }
    answers['/sequences'] = { sequences: [{ profile: 3, users: [1, 2, 4], jobs: [run.id, queries.id], state: 'running' }] }
    const page = await open('#/profiles/3', 'over virtual users')
    expect(words()).toContain('run 2 of 3')
    expect([...page.querySelectorAll('figure h2')].map((title) => title.textContent)).toEqual(['NOPM and TPM over virtual users', 'Response times over virtual users'])
  })
})

describe('the first page', () => {
  test('shows the saved set-ups, the running jobs, the newest jobs and the best runs', async () => {
    answers['/sequences'] = { sequences: [] }
    answers['/setups'] = { setups: [{ id: 7, name: '<b>nightly</b>', action: 'run', database: 'sqlite', workload: 'tprocc', changed: run.begun }] }
    answers['/best'] = { schema: 'sledge-best-1', best: [{ id: run.id, begun: run.begun, database: 'sqlite', workload: 'tprocc', size: '2 warehouses', durable: false, users: 2, metric: run.metrics[0], of: 7 }] }
    const page = await open('#/', 'Newest jobs')
    expect(words()).toContain('2 warehouses')
    expect(page.querySelector('a[href="#/setup?setup=7"]')?.textContent).toBe('<b>nightly</b>')
    expect(page.querySelector('nav [aria-current="page"]')?.textContent).toBe('Start')
  })
})

test('an unknown address is reported', async () => {
  await open('#/elsewhere', 'This page does not exist')
})

test('the choice of light or dark is saved', async () => {
  const page = await open('#/elsewhere', 'Colours')
  const choice = page.querySelector<HTMLSelectElement>('.theme select')
  if (choice === null) throw new Error('there is no choice')
  choice.value = 'dark'
  choice.dispatchEvent(new Event('change', { bubbles: true }))
  expect(document.documentElement.dataset['theme']).toBe('dark')
  expect(localStorage.getItem('sledge.theme')).toBe('dark')
})
