// The set-ups that are saved on the server under names.

import { send } from '../api/client.ts'
import type { Documents, Job } from '../api/types.ts'
import type { Setup } from '../setup.svelte.ts'
import type { Values } from './api.ts'

export type SetupHead = Documents['api.SetupHead']
export type SavedSetup = Documents['api.SavedSetup']
export type SavedAction = SetupHead['action']

/** All set-ups by name, without their settings. */
export async function savedSetups(signal?: AbortSignal): Promise<SetupHead[]> {
  return (await send<Documents['api.Setups']>('GET', 'setups', undefined, signal)).setups
}

export function savedSetup(id: number, signal?: AbortSignal): Promise<SavedSetup> {
  return send('GET', `setups/${id}`, undefined, signal)
}

export function saveSetup(name: string, action: SavedAction, settings: Values): Promise<SavedSetup> {
  return send('POST', 'setups', { name, action, settings })
}

export function changeSetup(id: number, change: { name?: string; action?: SavedAction; settings?: Values }): Promise<SavedSetup> {
  return send('PATCH', `setups/${id}`, change)
}

export function deleteSetup(id: number): Promise<unknown> {
  return send('DELETE', `setups/${id}`)
}

/** Starts a set-up as it is saved, and returns its job. */
export function startSetup(id: number): Promise<Job> {
  return send('POST', `setups/${id}/start`)
}

/** The address that opens a set-up. It stays the same when the set-up is renamed. */
export function toSetup(id: number): string {
  return `#/setup?setup=${id}`
}

/** The settings of this tab to save, without passwords. */
export function settingsToSave(setup: Setup): Values {
  return setup.settingsOf(setup.database, setup.workload)
}

/** Whether a saved set-up has the settings of this tab. */
export function isSaved(setup: Setup, saved: Pick<SavedSetup, 'settings'>): boolean {
  const own = Object.entries(settingsToSave(setup))
  return own.length === Object.keys(saved.settings).length && own.every(([name, value]) => saved.settings[name] === value)
}

/** The longest name of a set-up, in characters. */
export const longestName = 100

/** A name for a copy that is not taken: "nightly (copy)", "nightly (copy 2)". */
export function copyName(name: string, taken: readonly string[]): string {
  const names = new Set(taken.map((one) => one.toLowerCase()))
  for (let n = 1; ; n++) {
    const ending = n === 1 ? ' (copy)' : ` (copy ${n})`
    const copy = [...name].slice(0, longestName - ending.length).join('').trimEnd() + ending
    if (!names.has(copy.toLowerCase())) return copy
  }
}
