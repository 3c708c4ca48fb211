import { flushSync, mount, unmount } from 'svelte'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import App from '../App.svelte'
import { session } from '../session.svelte.ts'
import { Setup } from '../setup.svelte.ts'
import type { Dictionary, Entry } from './api.ts'
import { choicesOf, found, mistakeOf, valueOf } from './view.ts'

const entry = (name: string, more: Partial<Entry> = {}): Entry => ({ name, kind: 'int', default: '1', help: `what ${name} is`, group: '', value: '1', changed: false, limits: 'whole number', ...more })

const dictionary: Dictionary = {
  name: 'postgresql',
  title: 'PostgreSQL',
  command: 'diset',
  changed: 1,
  sections: [
    { name: 'connection', entries: [entry('pg_host', { value: 'db1', changed: true, kind: 'string', default: 'localhost' })] },
    { name: 'tpcc', entries: [entry('pg_count_ware'), entry('pg_pass', { secret: true, value: '****', default: '****' })] },
  ],
}

describe('the settings of the console', () => {
  test('are found by section, key, meaning and value', () => {
    expect(found(dictionary, '').map(({ entries }) => entries.length)).toEqual([1, 2])
    expect(found(dictionary, 'DB1').map(({ name }) => name)).toEqual(['connection'])
    expect(found(dictionary, 'tpcc  what')[0]?.entries.map(({ name }) => name)).toEqual(['pg_count_ware', 'pg_pass'])
    expect(found(dictionary, 'nothing of it')).toEqual([])
  })
  test('without effect are left out unless requested or changed', () => {
    const idle = { ...dictionary, sections: [{ name: 'theme', entries: [entry('scaletheme', { idle: true }), entry('pixelsperpoint', { idle: true, changed: true })] }] }
    expect(found(idle, '')[0]?.entries.map(({ name }) => name)).toEqual(['pixelsperpoint'])
    expect(found(idle, '', { idle: true })[0]?.entries).toHaveLength(2)
  })
  test('with few values have a list of choices', () => {
    expect(choicesOf(entry('a'))).toEqual([])
    expect(choicesOf(entry('a', { kind: '0 or 1' }))).toEqual(['0', '1'])
    expect(choicesOf(entry('a', { kind: 'bool', value: 'yes' }))).toEqual(['yes', 'true', 'false'])
    expect(choicesOf(entry('a', { choices: ['dark', 'light'], value: 'light' }))).toEqual(['dark', 'light'])
  })
  test('are left out on request if they have their defaults', () => {
    expect(found(dictionary, '', { changedOnly: true })).toEqual([dictionary.sections[0]])
  })
})

test('a password is shown only as set', () => {
  expect(valueOf({ name: 'pg_pass', option: 'password', secret: true, from: 'SLEDGE_PG_PASS' })).toBe('set')
  expect(valueOf({ name: 'rampup', option: 'rampup', value: '2', from: 'SLEDGE_RAMPUP' })).toBe('2')
})

test('a new password must be typed twice', () => {
  expect(mistakeOf('long enough', '')).toBe('')
  expect(mistakeOf('long enough', 'long enoug')).toBe('The two passwords differ.')
  expect(mistakeOf('long enough', 'long enough')).toBe('')
})

test('set-ups are removed on request', () => {
  localStorage.clear()
  const setup = new Setup(localStorage)
  setup.choose('postgresql', 'tprocc')
  setup.set('users', '4')
  expect(setup.kept).toBe(1)
  setup.forget()
  expect([setup.kept, setup.database, new Setup(localStorage).kept]).toEqual([0, '', 0])
})

describe('the page', () => {
  let app: Record<string, unknown> | undefined
  let told: Record<string, unknown>
  let asked: string[]

  beforeEach(() => {
    vi.stubGlobal('scrollTo', () => undefined)
    asked = []
    const answers: Record<string, unknown> = {
      'api/v1/version': { schema: 'sledge-version-1', version: 'v1.2.3', go: 'go1', os: 'linux', arch: 'amd64', databases: ['postgresql'], workloads: ['tprocc'] },
      'api/v1/server': {
        version: 'v1.2.3',
        serving: { address: '127.0.0.1:8080', home: 'http://127.0.0.1:8080/', hostnames: [], proxies: [], read_only: false, host: 'client1', process: 7, begun: '2026-11-23T02:00:00Z', folder: '/home/me/sledge' },
        repository: { path: '/home/me/sledge/jobs.db', bytes: 4096, jobs: 1 },
        scripting: { folder: '/home/me/sledge/scripts', runs: true },
      },
      'api/v1/web/users': { users: [{ name: '<b>ann</b>', role: 'act', by: 'password', added: '2026-11-23T02:00:00Z' }], commands: [{ does: 'Add a person', command: 'sledge web user add NAME' }] },
      'api/v1/defaults': {
        schema: 'sledge-defaults-1', repository: '', config_file: 'sledge.toml', variables: [], warnings: [],
        settings: [{ name: 'rampup', option: 'rampup', value: '2', from: 'line 1 of sledge.toml', beaten_by: 'SLEDGE_RAMPUP' }, { name: 'pg_pass', option: 'password', secret: true, from: 'SLEDGE_PG_PASS' }],
      },
    }
    vi.stubGlobal('fetch', (address: string) => {
      const path = new URL(address).pathname.slice(1)
      asked.push(path)
      const answer = path === 'session' ? told : answers[path]
      return Promise.resolve(new Response(JSON.stringify(answer ?? { detail: 'not there' }), { status: answer === undefined ? 404 : 200 }))
    })
  })
  afterEach(async () => {
    if (app !== undefined) await unmount(app)
    app = undefined
    document.body.replaceChildren()
    vi.unstubAllGlobals()
  })

  async function open(text: string): Promise<string> {
    await session.ask()
    location.hash = '#/settings'
    app = mount(App, { target: document.body })
    flushSync()
    const words = (): string => (document.body.textContent ?? '').replaceAll(/\s+/g, ' ')
    await vi.waitFor(() => expect(words()).toContain(text), { timeout: 20_000 })
    return words()
  }

  test('shows the server to users with the role act', async () => {
    told = { user: 'ann', role: 'act', may_act: true, read_only: false, by: 'password', other_sessions: 2 }
    const said = await open('/home/me/sledge/jobs.db')
    for (const want of ['2 other browsers', '1 job, 4.1 kB', '(SLEDGE_RAMPUP wins)', '<b>ann</b>', 'sledge web user add NAME', 'Change your password', 'Settings of the console']) expect(said).toContain(want)
  })

  test('sends no request that the server would refuse to the role look', async () => {
    told = { user: 'lou', role: 'look', may_act: false, read_only: false, by: 'password', other_sessions: 0 }
    const said = await open('Only users with the role act see')
    expect(said).toContain('v1.2.3')
    expect(said).toContain('with this browser only')
    expect(asked.filter((path) => /server|users|defaults|console/.test(path))).toEqual([])
  })
})
