// Forms that are made from the descriptions of options.

import { count } from '../format.ts'
import type { Action, Option, Options, Values } from './api.ts'

/** A part of a form. */
export interface Part {
  name: string
  title: string
  options: Option[]
  /** The number of its options that differ from their defaults. */
  differ: number
}

/** The values of an option in words: "a whole number from 1 to 100,000". */
export function limitsOf(limits: string): string {
  const article = /^(whole number|number|time)\b/.test(limits) ? 'a ' : ''
  return article + limits.replaceAll(/(?<![\w.])\d{5,15}(?![\w.])/g, (digits) => count(Number(digits)))
}

/** A description of an option as a sentence. */
export function sentence(help: string): string {
  return `${help.charAt(0).toUpperCase()}${help.slice(1)}.`
}

/** Whether the set-up changes the value of an option. */
export function differs(option: Option, values: Values, secrets: Values): boolean {
  if (option.secret) return secrets[option.name] !== undefined
  const value = values[option.name]
  return value !== undefined && value !== option.default
}

/** The numbers of virtual users, which are a setting of each run but no option of a database or workload. */
export const usersOption: Option = {
  name: 'users',
  label: 'Virtual users of a run',
  kind: 'string',
  default: '1',
  help: 'number of virtual users; several, such as 1,2,4, start runs one after another',
  group: 'load',
  form: 'driver',
  key: 'vuset vu',
  limits: 'whole number, or several with commas',
}

/** The labels of jobs, which are not an option of a database or workload either. */
export const labelsOption: Option = {
  name: 'labels',
  label: 'Labels of the jobs',
  kind: 'string',
  default: '',
  help: 'labels by which people find and compare jobs, such as kernel=6.11,ticket=4711; the label project also says which users with roles in projects see them',
  group: 'load',
  form: 'driver',
  key: '--label',
  limits: 'name=value, or several with commas',
}

/** A usual length of a run. */
interface Length {
  name: string
  rampup: string
  duration: string
  about: string
}

export const lengths: readonly Length[] = [
  { name: '1 min', rampup: '10s', duration: '1', about: 'Ramp-up 10 s, then 1 min measured: for a first look' },
  { name: '5 min', rampup: '1', duration: '5', about: 'Ramp-up 1 min, then 5 min measured' },
  { name: 'HammerDB 2 + 5', rampup: '2', duration: '5', about: 'HammerDB’s own length: ramp-up 2 min, then 5 min measured' },
]

/** The seconds in a number of minutes, or in a time with units such as 1h30m; undefined if a text is neither. */
export function secondsOf(text: string): number | undefined {
  if (/^[\d.]+$/.test(text)) return Number(text) * 60
  if (!/^([\d.]+(ms|[hms]))+$/.test(text)) return undefined
  const units: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 0.001 }
  return [...text.matchAll(/([\d.]+)(ms|[hms])/g)].reduce((sum, [, n, unit]) => sum + Number(n) * (units[unit ?? ''] ?? 0), 0)
}

/** The names of the options that people set most. A database and a workload have some of each kind. */
const most = {
  where: ['file', 'instance', 'host', 'port', 'dbname'],
  login: ['user', 'password', 'superuser', 'superuser_password', 'system_user', 'system_password'],
  size: ['warehouses', 'scale_factor'],
  length: ['rampup', 'duration', 'query_sets'],
}

export type Main = Record<keyof typeof most, Option[]>

/** The options that people set most, and all others. */
export function divide(all: Options): { main: Main; others: Options } {
  const options = all.options ?? []
  const named = (names: string[]): Option[] => names.flatMap((name) => options.find((option) => option.name === name) ?? [])
  const main: Main = { where: named(most.where), login: named(most.login), size: named(most.size), length: named(most.length) }
  const taken = new Set(Object.values(main).flat())
  return { main, others: { ...all, options: options.filter((option) => !taken.has(option)) } }
}

/** The parts of a form, with the options that contain all words of a text. Empty parts are left out. */
export function partsOf(all: Options, values: Values, secrets: Values, text = '', onlyDiffering = false): Part[] {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== '')
  const matches = (option: Option): boolean => {
    if (onlyDiffering && !differs(option, values, secrets)) return false
    const searched = [option.name, option.key, option.label, option.help].join('\n').toLowerCase()
    return words.every((word) => searched.includes(word))
  }
  return (all.forms ?? [])
    .map(({ name, title }) => {
      const own = (all.options ?? []).filter((option) => option.form === name)
      // The most common options come first.
      const sorted = [...own.filter((option) => option.main), ...own.filter((option) => !option.main)]
      return { name, title, options: sorted.filter(matches), differ: own.filter((option) => differs(option, values, secrets)).length }
    })
    .filter((part) => part.options.length > 0)
}

/** The values that belong to a connection. */
export function connectionValues(all: Options, values: Values): Values {
  const own = new Set((all.options ?? []).filter((option) => option.form === 'connection').map((option) => option.name))
  return Object.fromEntries(Object.entries(values).filter(([name]) => own.has(name)))
}

/** Whether an option applies to one of the actions. */
export function meansSomething(option: Option, to: readonly Action[]): boolean {
  const actions: readonly string[] = option.actions ?? []
  return actions.length === 0 || to.some((action) => actions.includes(action))
}

/** Settings without the options that do not apply to an action, whose mistakes do not matter to it. */
export function settingsOf(action: Action, settings: Values, options: readonly Option[]): Values {
  const idle = new Set(options.filter((option) => !meansSomething(option, [action])).map((option) => option.name))
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !idle.has(name)))
}
