import { flushSync, mount, unmount } from 'svelte'
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

  /** Answers the API's requests: the chain ends with a state at the third look, and the second look fails. */
  function serve(state: string, build: string): { sent: string[] } {
    const sent: string[] = []
    let looks = 0
    vi.stubGlobal('fetch', (address: string, { method, body }: RequestInit) => {
      const path = new URL(address).pathname.replace('/api/v1/', '')
      if (method === 'POST') sent.push(`${path} ${typeof body === 'string' ? body : ''}`)
      const answer = (document: unknown, code = 200): Promise<Response> => Promise.resolve(new Response(JSON.stringify(document), { status: code }))
      if (method === 'POST') return answer({ build: 'B1', state: 'running' }, 201)
      if (path === 'jobs/B1') return answer({ ...failed({ id: 'B1', action: 'build', status: (looks < 3 ? 'running' : build) as Job['status'] }), schema: 'sledge-job-3' })
      looks++
      if (looks === 2) return answer({ detail: 'starting' }, 503)
      return answer(looks < 3 ? { build: 'B1', state: 'running' } : { build: 'B1', state, ...(state === 'done' ? { run: 'R1' } : { reason: 'the port is taken' }) })
    })
    return { sent }
  }
  const settings = { db: 'pg', workload: 'tprocc', users: '2' }

  test('opens the page of the run when the server has started it', async () => {
    vi.useFakeTimers()
    const { sent } = serve('done', 'succeeded')
    location.hash = '#/setup'
    const both = new BuildThenRun(localStorage)
    await both.start(settings)
    expect([both.waiting, localStorage.getItem('sledge.chain')]).toEqual([true, 'B1'])
    await vi.advanceTimersByTimeAsync(2500)
    expect(both.failed).toBeInstanceOf(APIError)
    await vi.advanceTimersByTimeAsync(2500)
    expect(sent).toEqual([`chains ${JSON.stringify({ settings })}`])
    expect([location.hash, both.build, localStorage.getItem('sledge.chain')]).toEqual(['#/jobs/R1', undefined, null])
  })

  test('is found again by a new tab', async () => {
    vi.useFakeTimers()
    serve('failed', 'failed')
    localStorage.setItem('sledge.chain', 'B1')
    const both = new BuildThenRun(localStorage)
    await vi.advanceTimersByTimeAsync(10)
    expect([both.build?.id, both.waiting]).toEqual(['B1', true])
    await vi.advanceTimersByTimeAsync(5000)
    expect([both.build?.status, both.waiting, localStorage.getItem('sledge.chain')]).toEqual(['failed', false, null])
  })

  test('leaves the page alone that the user has gone to', async () => {
    vi.useFakeTimers()
    serve('done', 'succeeded')
    location.hash = '#/setup'
    const both = new BuildThenRun()
    await both.start(settings)
    location.hash = '#/jobs'
    await vi.advanceTimersByTimeAsync(5000)
    expect([location.hash, both.build]).toEqual(['#/jobs', undefined])
  })

  test('says why no run begins after a build that succeeded', async () => {
    vi.useFakeTimers()
    serve('failed', 'succeeded')
    const both = new BuildThenRun()
    await both.start(settings)
    await vi.advanceTimersByTimeAsync(10_000)
    expect([both.waiting, both.failed]).toEqual([false, new Error('the port is taken')])
  })

  test('starts no run after the user has changed their mind', async () => {
    vi.useFakeTimers()
    const { sent } = serve('done', 'succeeded')
    const both = new BuildThenRun()
    await both.start(settings)
    await both.stop()
    await vi.advanceTimersByTimeAsync(10_000)
    expect([sent.at(-1), both.build]).toEqual(['chains/B1/stop ', undefined])
  })
})
