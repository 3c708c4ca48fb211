import { flushSync, mount, tick, unmount } from 'svelte'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { APIError } from '../api/client.ts'
import type { Job, Problem } from '../api/types.ts'
import { fieldOf, waysOf, waysOfJob } from '../parts/remedy.ts'
import Trouble from '../parts/Trouble.svelte'
import { Setup } from '../setup.svelte.ts'
import { BuildThenRun } from './buildthenrun.svelte.ts'
import { mend } from './mend.svelte.ts'
import { adopt, matches, repeatable, settingsOfJob } from './ofjob.ts'
import { stateOf } from './trial.ts'

const failed = (more: Partial<Job>): Job => ({ id: 'A1', action: 'run', status: 'failed', database: 'pg', workload: 'tprocc', seed: 1, users: 2, ...more }) as Job

describe('the remedy', () => {
  test.each([
    ['no_schema', ['build then run', 'build', 'change']],
    ['no_database', ['build then run', 'build', 'change']],
    ['half_built', ['resume']],
    ['refused', ['change', 'again']],
    ['unreachable', ['change', 'again']],
  ])('of a run with the cause %s is %s', (kind, ways) => {
    expect(waysOfJob(failed({ cause: { kind } })).map((way) => way.does)).toEqual(ways)
  })
  test('names the option that the server refused', () => {
    expect(waysOf({ kind: 'refused', option: 'superuser_password' }, 'build')[0]).toEqual({ does: 'change', option: 'superuser_password', label: 'Change the superuser password' })
    expect(waysOf({ kind: 'refused' }, 'run')[0]).toMatchObject({ option: 'user' })
    expect(waysOf({ kind: 'option', option: 'rampup' }, 'run')).toEqual([{ does: 'change', option: 'rampup', label: 'Change the option rampup' }])
  })
  test('of a failure without a known cause is its set-up', () => {
    expect(waysOfJob(failed({})).map((way) => way.does)).toEqual(['change'])
    expect(waysOfJob({ status: 'succeeded', action: 'run' })).toEqual([])
    expect(waysOfJob({ status: 'partial', action: 'run', cause: { kind: 'no_schema' } })).toEqual([])
  })
  test('of a delete without a schema is not a build', () => {
    expect(waysOf({ kind: 'no_schema' }, 'delete').map((way) => way.does)).toEqual(['change'])
  })
})

describe('the field to change after a refused request', () => {
  const problem = (more: Partial<Problem>): APIError => new APIError('no', 422, undefined, { type: '', title: '', status: 422, detail: 'no', ...more })
  test('is that of the first mistake in the settings', () => {
    expect(fieldOf(problem({ mistakes: [{ where: 'body.settings.port', message: 'not a number' }] }))).toMatchObject({ option: 'port' })
    expect(fieldOf(problem({ mistakes: [{ where: 'body.action', message: 'unknown' }] }))).toBeUndefined()
    expect(fieldOf(problem({ option: 'folder' }))).toBeUndefined()
    expect(fieldOf(new Error('no'))).toBeUndefined()
  })
  test('is the password that the server refused', () => {
    expect(fieldOf(problem({ cause: { kind: 'refused', option: 'password' } }))).toMatchObject({ option: 'password' })
    expect(fieldOf(problem({ cause: { kind: 'unreachable' } }))).toMatchObject({ option: '' })
  })
  test('is opened by a click', async () => {
    location.hash = '#/run'
    const app = mount(Trouble, { target: document.body, props: { error: problem({ mistakes: [{ where: 'body.settings.port', message: 'not a number' }] }) } })
    flushSync()
    document.querySelector<HTMLButtonElement>('.trouble button')?.click()
    expect([mend.wanted?.option, location.hash]).toEqual(['port', '#/setup'])
    mend.done()
    await unmount(app)
    document.body.replaceChildren()
  })
})

describe('the set-up of a job', () => {
  const setup = (): Setup => {
    const own = new Setup()
    own.choose('pg', 'tprocc')
    own.set('host', 'db1')
    own.set('users', '1,2')
    own.setSecret('password', 'planted')
    return own
  }
  test('includes the passwords of the tab if it is the same', () => {
    const job = failed({ options: { host: 'db1' } })
    expect(matches(setup(), job)).toBe(true)
    expect(settingsOfJob(setup(), job)).toEqual({ db: 'pg', workload: 'tprocc', host: 'db1', users: '2', seed: '1', password: 'planted' })
  })
  test('includes the connection of the tab if the record has its values', () => {
    const own = setup()
    own.connect('lab')
    expect(settingsOfJob(own, failed({ options: { host: 'db1', user: 'ann' } }))).toMatchObject({ connection: 'lab', host: 'db1' })
    expect(settingsOfJob(own, failed({ options: { host: 'db2' } }))).not.toHaveProperty('connection')
  })
  test('replaces that of the tab if it differs', () => {
    const own = setup()
    const job = failed({ options: { host: 'db2' }, seed: 2 ** 60 })
    expect(matches(own, job)).toBe(false)
    adopt(own, job)
    expect(own.settings).toEqual({ db: 'pg', workload: 'tprocc', host: 'db2', users: '2', password: 'planted' })
    adopt(own, failed({ database: 'maria' }))
    expect(own.secrets).toEqual({})
  })
  test('is unknown if the job had several groups, or is another program’s', () => {
    expect([failed({}), failed({ workload: 'a + b' }), failed({ origin: 'HammerDB' })].map(repeatable)).toEqual([true, false, false])
  })
})

describe('the state of a connection test', () => {
  test('tells a refused login from a server that does not answer', () => {
    expect(stateOf({ state: 'refused', ok: false })).toMatchObject({ words: 'the login is refused', tone: 'bad' })
    expect(stateOf({ state: 'unreachable', ok: false })).toMatchObject({ words: 'not reached', tone: 'bad' })
  })
  test('asks for a build only if one could log in', () => {
    expect(stateOf({ state: 'no_database', ok: true }).build).toBe('new')
    expect(stateOf({ state: 'no_database', ok: false }).build).toBeUndefined()
    expect(stateOf({ state: 'refused', ok: true })).toMatchObject({ tone: 'bad', build: 'perhaps' })
    expect(stateOf({ state: 'half_built', ok: true }).build).toBe('resume')
    expect(stateOf({ state: 'ready', ok: true }).build).toBeUndefined()
  })
})

describe('a build, then a run', () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  /** Answers the API's requests: the build ends with a status at the third look, and the second look fails. */
  function serve(status: string): { sent: string[] } {
    const sent: string[] = []
    let looks = 0
    vi.stubGlobal('fetch', (address: string, { method, body }: RequestInit) => {
      const path = new URL(address).pathname.replace('/api/v1/', '')
      const wanted = typeof body === 'string' ? (JSON.parse(body) as { action?: string; settings?: Record<string, string> }) : {}
      if (method === 'POST') sent.push(`${path} ${wanted.action ?? ''} ${wanted.settings?.['users'] ?? '-'}`)
      const answer = (document: unknown, code = 200): Promise<Response> => Promise.resolve(new Response(JSON.stringify(document), { status: code }))
      if (path.endsWith('options') || path.includes('options')) return answer({ schema: 'sledge-options-2', options: [] })
      if (path === 'settings/check') return answer({ settings: { users: [2] }, mistakes: [] })
      if (method === 'POST') return answer(failed({ id: wanted.action === 'run' ? 'R1' : 'B1', status: 'running', action: wanted.action ?? '' }), 201)
      looks++
      if (looks === 2) return answer({ detail: 'starting' }, 503)
      return answer({ ...failed({ id: 'B1', action: 'build', status: looks < 3 ? 'running' : (status as Job['status']) }), schema: 'sledge-job-3' })
    })
    return { sent }
  }

  test('starts the run when the build has succeeded, and opens its page', async () => {
    vi.useFakeTimers()
    const { sent } = serve('succeeded')
    location.hash = '#/setup'
    const both = new BuildThenRun()
    await both.start({ db: 'pg', workload: 'tprocc', users: '2' })
    expect(both.waiting).toBe(true)
    await vi.advanceTimersByTimeAsync(2500)
    expect(both.failed).toBeInstanceOf(APIError)
    await vi.advanceTimersByTimeAsync(2500)
    expect(sent).toEqual(['jobs build -', 'settings/check run 2', 'jobs run 2'])
    expect([location.hash, both.build]).toEqual(['#/jobs/R1', undefined])
  })

  test('leaves the page alone that the user has gone to', async () => {
    vi.useFakeTimers()
    const { sent } = serve('succeeded')
    location.hash = '#/setup'
    const both = new BuildThenRun()
    await both.start({ db: 'pg', workload: 'tprocc', users: '2' })
    location.hash = '#/jobs'
    await vi.advanceTimersByTimeAsync(5000)
    expect(sent.at(-1)).toBe('jobs run 2')
    expect(location.hash).toBe('#/jobs')
  })

  test.each(['failed', 'killed'])('starts no run if the build %s', async (status) => {
    vi.useFakeTimers()
    const { sent } = serve(status)
    const both = new BuildThenRun()
    await both.start({ db: 'pg', workload: 'tprocc' })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(sent).toEqual(['jobs build -'])
    expect([both.build?.status, both.waiting]).toEqual([status, false])
  })

  test('starts no run after the user has changed their mind', async () => {
    vi.useFakeTimers()
    const { sent } = serve('succeeded')
    const both = new BuildThenRun()
    await both.start({ db: 'pg', workload: 'tprocc' })
    both.forget()
    await vi.advanceTimersByTimeAsync(10_000)
    await tick()
    expect(sent).toEqual(['jobs build -'])
  })
})
