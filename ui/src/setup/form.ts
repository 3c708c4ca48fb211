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
