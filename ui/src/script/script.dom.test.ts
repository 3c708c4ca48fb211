import { describe, expect, it, vi } from 'vitest'
import type { Words } from './api.ts'
import { argumentsOf, toScript } from './names.ts'
import { added, most, type Stretch } from './output.ts'
import { allowed } from './terminal.ts'
import { Typing } from './typing.ts'
import { chosenIn, choicesAt, typedOf } from './words.ts'

const entry = { kind: 'int', help: 'warehouses to build', group: 'schema' }
const words: Words = {
  commands: [
    { name: 'diset', usage: 'diset dict key value', help: 'Sets.' },
    { name: 'vuset', usage: 'vuset [vu|delay] value', help: 'Virtual users.' },
    { name: 'dbset', usage: 'dbset [db|bm] value', help: 'Chooses.' },
  ],
  databases: [
    { prefix: 'pg', title: 'PostgreSQL', sections: [{ name: 'tpcc', entries: [{ ...entry, name: 'pg_count_ware', default: '1' }] }] },
    { prefix: 'sqlite', title: 'SQLite', sections: [{ name: 'tpcc', entries: [{ ...entry, name: 'sqlite_purge', kind: 'bool', default: 'false' }] }] },
  ],
  benchmarks: ['TPROC-C', 'TPROC-H'],
  generic: [{ name: 'commandline', entries: [{ ...entry, name: 'jobsoutput', default: 'JSON', choices: ['JSON', 'text'] }] }],
  driver: [{ name: 'rampup', help: 'ramp-up' }],
}

/** The completions at the end of a script. */
function offered(text: string, language: 'tcl' | 'python' | 'driver'): string[] {
  const start = text.lastIndexOf('\n') + 1
  const typed = typedOf(text.slice(start), language)
  return typed === undefined ? [] : choicesAt(words, language, text.slice(0, start), typed).map(({ label }) => label)
}

describe('the completions', () => {
  it.each([
    ['tcl', 'vu', ['diset', 'vuset', 'dbset']],
    ['tcl', 'set job [vu', ['diset', 'vuset', 'dbset']],
    ['tcl', 'vuset ', ['vu', 'delay']],
    ['tcl', 'dbset db ', ['pg', 'sqlite']],
    ['tcl', 'puts 1; dbset bm TPROC', ['TPROC-C', 'TPROC-H']],
    ['tcl', 'diset ', ['tpcc']],
    ['tcl', 'diset tpcc ', ['pg_count_ware', 'sqlite_purge']],
    ['tcl', 'dbset db pg\ndiset tpcc ', ['pg_count_ware']],
    ['tcl', 'dbset db pg\ndbset db sqlite\ndiset tpcc sqlite_purge ', ['true', 'false']],
    ['tcl', 'giset commandline jobsoutput ', ['JSON', 'text']],
    ['tcl', '# diset ', []],
    ['python', 'vu', ['diset', 'vuset', 'dbset']],
    ['python', "dbset('db', 'pg')\ndiset('tpcc', 'pg", ['pg_count_ware']],
    ['python', "vuset('", ['vu', 'delay']],
    ['driver', 'set ram', ['rampup']],
    ['driver', 's', ['set']],
  ] as const)('in %s after %j are these', (language, text, want) => {
    expect(offered(text, language)).toEqual(want)
  })

  it('follow the last dbset', () => {
    expect(chosenIn("dbset db pg\ndbset('db','maria')\n")).toBe('maria')
    expect(chosenIn('dbset bm TPROC-C')).toBeUndefined()
  })
})

describe('typing', () => {
  it('sends one request after another, and collects the text that is typed meanwhile', async () => {
    const sent: string[] = []
    let release = (): void => {}
    const typing = new Typing(
      (text) => {
        sent.push(text)
        return new Promise((resolve) => (release = resolve))
      },
      (error) => {
        throw error
      },
    )
    const all = typing.type('a')
    void typing.type('b')
    void typing.type('c')
    expect(sent).toEqual(['a'])
    release()
    await Promise.resolve()
    await Promise.resolve()
    expect(sent).toEqual(['a', 'bc'])
    release()
    await all
  })

  it('drops waiting text after a failure', async () => {
    const errors: unknown[] = []
    const typing = new Typing(() => Promise.reject(new Error('gone')), (error) => errors.push(error))
    const all = typing.type('a')
    void typing.type('b')
    await all
    expect(errors).toHaveLength(1)
  })
})

describe('output', () => {
  it('joins consecutive output of one stream, and keeps its end', () => {
    let shown: Stretch[] = []
    shown = added(shown, { text: 'a' })
    shown = added(shown, { text: 'b' })
    shown = added(shown, { text: 'oh', error: true })
    expect(shown).toEqual([
      { text: 'ab', isError: false },
      { text: 'oh', isError: true },
    ])
    shown = added(shown, { text: 'x'.repeat(most), missed: 5 })
    expect(shown.map(({ text }) => text.length).reduce((a, b) => a + b)).toBe(most)
    expect(shown.at(-1)?.text).toBe('x'.repeat(most))
  })
})

describe('a script', () => {
  it('has an address with any characters in its name', () => {
    expect(toScript('a b+c.tcl')).toBe('#/scripts/a%20b%2Bc.tcl')
  })

  it('splits arguments as a shell does', () => {
    expect(argumentsOf(`one "two three" 'four five' six`)).toEqual(['one', 'two three', 'four five', 'six'])
  })
})

describe('the terminal', () => {
  it('creates no style element and no style attribute', () => {
    const sheets: string[] = []
    Object.defineProperty(document, 'adoptedStyleSheets', { value: [], writable: true, configurable: true })
    vi.stubGlobal(
      'CSSStyleSheet',
      class {
        replaceSync = (text: string): number => sheets.push(text)
      },
    )
    const forbidden = allowed(document)
    const style = document.createElement('style')
    document.body.append(style)
    style.textContent = '.a { color: red }'
    const span = document.createElement('span')
    span.setAttribute('style', 'color: red')
    expect([style.tagName, sheets, document.adoptedStyleSheets.length, span.style.color]).toEqual(['SPAN', ['.a { color: red }'], 1, 'red'])
    style.remove()
    expect(document.adoptedStyleSheets).toHaveLength(0)
    forbidden()
    expect(document.createElement('style').tagName).toBe('STYLE')
    vi.unstubAllGlobals()
  })
})
