import { expect, test } from 'vitest'
import { read, Setup } from './setup.svelte.ts'

/** A storage of its own. */
function storage(): Storage {
  const kept = new Map<string, string>()
  return {
    get length() {
      return kept.size
    },
    clear: () => kept.clear(),
    getItem: (name) => kept.get(name) ?? null,
    key: () => null,
    removeItem: (name) => void kept.delete(name),
    setItem: (name, value) => void kept.set(name, value),
  }
}

test('a set-up survives a reload, and its passwords do not', () => {
  const kept = storage()
  const before = new Setup(kept)
  before.choose('postgresql', 'tprocc')
  before.connect('lab')
  before.set('users', '8')
  before.setSecret('password', 'planted')
  expect(before.settings).toEqual({ db: 'postgresql', workload: 'tprocc', connection: 'lab', users: '8', password: 'planted' })
  expect(kept.getItem('sledge.setup')).not.toContain('planted')
  expect(new Setup(kept).settings).toEqual({ db: 'postgresql', workload: 'tprocc', connection: 'lab', users: '8' })
})

test('each database and workload keeps its own values', () => {
  const setup = new Setup(storage())
  setup.choose('postgresql', 'tprocc')
  setup.connect('lab')
  setup.set('host', 'db1')
  setup.choose('sqlite', 'tprocc')
  expect(setup.settings).toEqual({ db: 'sqlite', workload: 'tprocc' })
  setup.choose('postgresql', 'tprocc')
  expect(setup.values).toEqual({ host: 'db1' })
  expect(setup.settingsWith({ users: '4' })['users']).toBe('4')
  setup.set('host', undefined)
  expect(setup.values).toEqual({})
})

test('a script gets the settings of its database and workload, without passwords', () => {
  const setup = new Setup(storage())
  setup.choose('postgresql', 'tproch')
  setup.set('users', '2')
  setup.choose('postgresql', 'tprocc')
  setup.connect('lab')
  setup.set('warehouses', '10')
  setup.setSecret('password', 'planted')
  expect(setup.settingsOf('postgresql', 'tprocc')).toEqual({ db: 'postgresql', workload: 'tprocc', connection: 'lab', warehouses: '10' })
  expect(setup.settingsOf('postgresql', 'tproch')).toEqual({ db: 'postgresql', workload: 'tproch', connection: 'lab', users: '2' })
  expect(setup.settingsOf('sqlite', 'tprocc')).toEqual({ db: 'sqlite', workload: 'tprocc' })
})

test('an opened set-up replaces the settings of its database and workload, and is remembered', () => {
  const kept = storage()
  const setup = new Setup(kept)
  setup.choose('postgresql', 'tprocc')
  setup.set('host', 'db1')
  setup.setSecret('password', 'planted')
  setup.open(7, { db: 'postgresql', workload: 'tprocc', connection: 'lab', users: '8' })
  expect(setup.settings).toEqual({ db: 'postgresql', workload: 'tprocc', connection: 'lab', users: '8' })
  setup.set('users', '9')
  expect(new Setup(kept).opened).toBe(7)
  setup.replace('postgresql', 'tprocc', {})
  expect(new Setup(kept).opened).toBe(0)
})

test.each(['', 'null', '{', '[1]', '{"database": 1, "values": {"a/b": {"x": 1, "y": "2"}, "c": 3}}'])('an invalid stored text is ignored: %s', (text) => {
  const found = read(text)
  expect(found.database).toBe('')
  expect(found.values['a/b'] ?? { y: '2' }).toEqual({ y: '2' })
})
