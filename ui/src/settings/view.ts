// Formats the server's settings for the page.

import { bytes, plural, stamp } from '../format.ts'
import type { Dictionary, Entry, Server, Default, Version } from './api.ts'

type Facts = [name: string, value: string | undefined][]

/** The version, databases and workloads of the program, for all users. */
export function aboutProgram(version: Version, titleOf: (name: string) => string): Facts {
  return [
    ['Version', version.version],
    ['Go version', `${version.go}, for ${version.os}/${version.arch}`],
    ['Databases', version.databases.map(titleOf).join(', ')],
    ['Workloads', version.workloads.map(titleOf).join(', ')],
  ]
}

/** The server's addresses and processes. */
export function aboutAddress({ serving, scripting }: Server): Facts {
  return [
    ['Address', serving.home],
    ['Listens on', serving.address],
    ['Base path', serving.base_path],
    ['TLS', serving.tls === undefined ? 'off (HTTP)' : `until ${stamp(serving.tls.until)}, for ${serving.tls.names.join(', ')}`],
    ['SHA-256 fingerprint', serving.tls?.fingerprint],
    ['Names', serving.hostnames.join(', ')],
    ['Trusted proxies', serving.proxies.join(', ')],
    ['Changes', serving.read_only ? 'not allowed (--read-only)' : 'allowed for users with the role act'],
    ['Scripts and console', scripting.runs ? 'allowed for users with the role act' : scripting.why],
    ['Process', `${serving.process} on ${serving.host}, since ${stamp(serving.begun)}`],
  ]
}

/** The server's files. */
export function aboutPlaces({ repository, scripting, serving, data_folder }: Server): Facts {
  return [
    ['Job repository', repository.path],
    ['Contents', `${plural(repository.jobs, 'job')}, ${bytes(repository.bytes)}`],
    ['Users, logins, audit log', serving.folder],
    ['Scripts', scripting.folder],
    ['Generated files', data_folder],
  ]
}

/** The value of a default. A password is never sent. */
export function valueOf(setting: Default): string {
  return setting.secret ? 'set' : (setting.value ?? '')
}

/** A section with the settings to show. */
export interface Shown {
  name: string
  entries: Entry[]
}

/** The settings of a dictionary that match a filter. Settings without effect are left out unless they were changed or the filter includes them. */
export function found(dictionary: Dictionary, text: string, wanted: { changedOnly?: boolean; idle?: boolean } = {}): Shown[] {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== '')
  return dictionary.sections
    .map(({ name, entries }) => ({
      name,
      entries: entries.filter((entry) => {
        const said = `${name} ${entry.name} ${entry.help} ${entry.value}`.toLowerCase()
        return (entry.changed || (wanted.changedOnly !== true && (wanted.idle === true || entry.idle !== true))) && words.every((word) => said.includes(word))
      }),
    }))
    .filter(({ entries }) => entries.length > 0)
}

/** The choices of a setting, including its current value in any spelling; empty if it is typed. */
export function choicesOf(entry: Entry): string[] {
  const list = entry.kind === 'bool' ? ['true', 'false'] : entry.kind === '0 or 1' ? ['0', '1'] : (entry.choices ?? [])
  return list.length === 0 || list.includes(entry.value) ? list : [entry.value, ...list]
}

/** Why a new password is invalid, or "". The server checks the rest. */
export function mistakeOf(password: string, again: string): string {
  if (again !== '' && password !== again) return 'The two passwords differ.'
  return ''
}
