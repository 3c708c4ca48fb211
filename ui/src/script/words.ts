// Completions in a script: commands, their arguments, settings and their values.

import type { Language, Words } from './api.ts'

/** A completion with its meaning. */
export interface Choice {
  label: string
  detail?: string
  info?: string
}

/** The complete words of a command, and the beginning of the last one. */
export interface Typed {
  before: string[]
  word: string
}

/** Splits the last, possibly incomplete command of a line. */
export function typedOf(line: string, language: Language): Typed | undefined {
  if (language === 'python') {
    const call = /(?:^|[^\w.])(\w+)\(([^()]*)$/.exec(line)
    if (call) {
      const given = (call[2] ?? '').split(',').map((part) => part.trim().replace(/^['"]|['"]$/g, ''))
      const last = given.pop() ?? ''
      return { before: [call[1] ?? '', ...given], word: last.replace(/^['"]/, '') }
    }
    const name = /(?:^|[\s=([])(\w+)$/.exec(line)
    return name ? { before: [], word: name[1] ?? '' } : undefined
  }
  if (/^\s*#/.test(line)) return undefined
  const command = line.slice(Math.max(line.lastIndexOf(';'), line.lastIndexOf('['), line.lastIndexOf('{')) + 1)
  const parts = command.trimStart().split(/\s+/)
  const word = parts.pop() ?? ''
  return { before: parts, word }
}

/** The database of a script's last dbset, by the prefix that dbset takes. */
export function chosenIn(text: string): string | undefined {
  let chosen: string | undefined
  for (const match of text.matchAll(/\bdbset[\s(]+['"]?db['"]?[\s,]+['"]?(\w+)/g)) chosen = match[1]
  return chosen
}

/** The completions at a position of a script. */
export function choicesAt(words: Words, language: Language, above: string, typed: Typed): Choice[] {
  const [command, ...given] = typed.before
  if (language === 'driver') {
    if (command === undefined) return [{ label: 'set', info: 'Sets what virtual users do.' }]
    return command === 'set' && given.length === 0 ? (words.driver ?? []).map(({ name, help }) => ({ label: name, info: help })) : []
  }
  const commands = words.commands ?? []
  if (command === undefined) return commands.map(({ name, usage, help }) => ({ label: name, ...(usage ? { detail: usage.slice(name.length).trim() } : {}), info: help }))
  if (command === 'diset') return settings(databasesOf(words, above), given)
  if (command === 'giset') return settings([{ title: '', sections: words.generic }], given)
  if (command === 'help' && given.length === 0) return commands.map(({ name, help }) => ({ label: name, info: help }))
  if (command === 'dbset' && given.length === 1) {
    if (given[0] === 'db') return (words.databases ?? []).map(({ prefix, title }) => ({ label: prefix, detail: title }))
    return given[0] === 'bm' ? (words.benchmarks ?? []).map((label) => ({ label })) : []
  }
  const usage = commands.find(({ name }) => name === command)?.usage?.split(/\s+/)[given.length + 1] ?? ''
  const inside = /^\[(.+\|.+)\]$/.exec(usage)?.[1]
  return inside === undefined ? [] : inside.split('|').map((label) => ({ label }))
}

type Dictionary = Pick<NonNullable<Words['databases']>[number], 'title' | 'sections'>

/** The databases for settings at a position: the one that is chosen above it, or all. */
function databasesOf(words: Words, above: string): Dictionary[] {
  const all = words.databases ?? []
  const chosen = chosenIn(above)
  const found = all.filter(({ prefix }) => prefix === chosen)
  return found.length > 0 ? found : all
}

/** The completions after the first arguments of a command that changes a setting. */
function settings(of: Dictionary[], given: string[]): Choice[] {
  const found = new Map<string, Choice>()
  const add = (choice: Choice): void => {
    if (!found.has(choice.label)) found.set(choice.label, choice)
  }
  for (const { title, sections } of of) {
    for (const { name, entries } of sections ?? []) {
      if (given.length === 0) add({ label: name })
      if (name !== given[0]) continue
      for (const entry of entries ?? []) {
        if (given.length === 1) add({ label: entry.name, detail: title, info: entry.unit ? `${entry.help} (${entry.unit})` : entry.help })
        if (given.length !== 2 || entry.name !== given[1]) continue
        const choices = entry.choices ?? (entry.kind === 'bool' ? ['true', 'false'] : entry.default === '' ? [] : [entry.default])
        for (const label of choices) add({ label, info: entry.help })
      }
    }
  }
  return [...found.values()]
}
