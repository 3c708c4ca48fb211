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
  /** The body of the last PUT. */
  let sent: string

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
    answers['api/v1/notices'] = {
      receivers: [{ name: 'ops', events: ['failed'], webhook: { url: 'https://ci.example.com/…' } }],
      deliveries: [
        { id: 'msg_2', receiver: 'ops', to: 'https://ci.example.com/…', event: 'failed', job: '6B02470C10A26D3B4C4E2F1A', at: '2026-11-27T12:00:00Z', status: 'waiting', tries: 2, next: '2026-11-27T12:03:00Z', error: 'it answered <b>500</b>' },
        { id: 'msg_1', receiver: 'ops', to: 'https://ci.example.com/…', event: 'test', at: '2026-11-27T11:00:00Z', status: 'delivered', tries: 1 },
      ],
    }
    answers['api/v1/notices/receivers/ops/test'] = { id: 'msg_3', receiver: 'ops', to: '', event: 'test', at: '2026-11-27T12:00:00Z', status: 'failed', tries: 1, error: 'connection refused' }
    answers['api/v1/notices/receivers/ci'] = { name: 'ci', events: ['failed', 'missed'], webhook: { url: 'https://ci.example.com/…' } }
    vi.stubGlobal('fetch', (address: string, options: RequestInit) => {
      const path = new URL(address).pathname.slice(1)
      asked.push(path)
      if (options.method === 'PUT' && typeof options.body === 'string') sent = options.body
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
    await vi.waitFor(() => expect(words()).toContain(text), { timeout: 60_000 })
    return words()
  }

  test('shows the server to users with the role act', async () => {
    told = { user: 'ann', role: 'act', may_act: true, read_only: false, by: 'password', other_sessions: 2 }
    const said = await open('/home/me/sledge/jobs.db')
    for (const want of ['2 other browsers', '1 job, 4.1 kB', '(SLEDGE_RAMPUP wins)', '<b>ann</b>', 'sledge web user add NAME', 'Change your password', 'Settings of the console', 'Only users with the role own can add']) expect(said).toContain(want)
  })

  test('lists receivers of notices, tests one and adds one', async () => {
    told = { user: 'ann', role: 'own', may_act: true, read_only: false, by: 'password', other_sessions: 0 }
    const said = await open('2 deliveries')
    for (const want of ['ops webhook · failed', '! 2 tries failed: it answered <b>500</b>. Next try: 2026-11-27 12:03:00', '✓ delivered']) expect(said).toContain(want)
    const press = (name: string): void => {
      const found = [...document.querySelectorAll('button')].find((button) => (button.ariaLabel ?? button.textContent).trim() === name)
      expect(found, name).toBeDefined()
      found?.click()
      flushSync()
    }
    press('Send a test to ops')
    await vi.waitFor(() => expect(document.body.textContent).toContain('✗ The test to ops: failed: connection refused.'))

    press('Add a webhook')
    const fill = (label: string, text: string): void => {
      const field = [...document.querySelectorAll('label')].find((each) => each.textContent.trim().startsWith(label))?.querySelector('input')
      if (!field) throw new Error(`there is no field ${label}`)
      field.value = text
      field.dispatchEvent(new Event('input', { bubbles: true }))
      flushSync()
    }
    fill('Name', 'ops')
    expect(document.body.textContent).toContain('✗ A receiver has this name.')
    fill('Name', 'ci')
    fill('Address', 'https://ci.example.com/hook')
    press('Save')
    await vi.waitFor(() => expect(document.body.textContent).toContain('ci is saved.'))
    const { events, pages, webhook } = JSON.parse(sent) as { events: string[]; pages: string; webhook: { url: string; secret: string } }
    expect([events, pages, webhook.url]).toEqual([['failed', 'missed'], new URL('.', document.baseURI).href, 'https://ci.example.com/hook'])
    expect(webhook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(document.body.textContent).not.toContain(webhook.secret)
  })

  test('asks for notifications on a click, and says if the browser refuses', async () => {
    told = { user: 'lou', role: 'look', may_act: false, read_only: false, by: 'password', other_sessions: 0 }
    vi.stubGlobal('isSecureContext', true)
    const shown: string[] = []
    let answer: NotificationPermission = 'denied'
    const Notes = Object.assign(
      function (title: string, options: NotificationOptions) {
        shown.push(`${title} ${options.tag}`)
      },
      { permission: 'default' as NotificationPermission, requestPermission: () => Promise.resolve((Notes.permission = answer)) },
    )
    vi.stubGlobal('Notification', Notes)
    await open('Turn on notifications')
    expect(Notes.permission).toBe('default')
    const press = (name: string): void => [...document.querySelectorAll('button')].find((button) => button.textContent === name)?.click()
    press('Turn on notifications')
    await vi.waitFor(() => expect(document.body.textContent).toContain('This browser refuses notifications of this site'))
    answer = Notes.permission = 'granted'
    press('Turn on notifications')
    await vi.waitFor(() => expect(document.body.textContent).toContain('Show a test'))
    press('Show a test')
    expect(shown).toEqual(['This is a test test'])
    press('Turn off notifications')
    await vi.waitFor(() => expect(document.body.textContent).toContain('Turn on notifications'))
    expect(localStorage.getItem('sledge.notifications')).toBe('off')
  })

  test('sends no request that the server would refuse to the role look', async () => {
    told = { user: 'lou', role: 'look', may_act: false, read_only: false, by: 'password', other_sessions: 0 }
    const said = await open('Only users with the role act see')
    expect(said).toContain('v1.2.3')
    expect(said).toContain('with this browser only')
    expect(asked.filter((path) => /server|users|defaults|console|notices/.test(path))).toEqual([])
  })
})
