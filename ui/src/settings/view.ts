// What the page of settings shows of what the server says.

import { bytes, count, moment } from '../format.ts'
import type { Dictionary, Entry, Server, Standing, Version } from './api.ts'

type Facts = [name: string, value: string | undefined][]

/** What answers, and what it can test: for everybody. Databases and workloads are called by their titles. */
export function aboutProgram(version: Version, titleOf: (name: string) => string): Facts {
  return [
    ['Version', version.version],
    ['Built by', `${version.go}, for ${version.os}/${version.arch}`],
    ['Databases', version.databases.map(titleOf).join(', ')],
    ['Workloads', version.workloads.map(titleOf).join(', ')],
  ]
}

/** How it is reached. */
export function aboutAddress({ serving, scripting }: Server): Facts {
  return [
    ['Address', serving.home],
    ['Listens on', serving.address],
    ['Base path', serving.base_path],
    ['TLS', serving.tls === undefined ? 'none: HTTP' : `until ${moment(serving.tls.until)} UTC, for ${serving.tls.names.join(', ')}`],
    ['SHA-256 fingerprint', serving.tls?.fingerprint],
    ['Names', serving.hostnames.join(', ')],
    ['Trusted proxies', serving.proxies.join(', ')],
    ['Who may act', serving.read_only ? 'nobody: --read-only' : 'those with the role act'],
    ['Scripts and console', scripting.runs ? 'run, for those who may act' : scripting.why],
    ['Process', `${serving.process} on ${serving.host}, since ${moment(serving.begun)} UTC`],
  ]
}

/** Where things are kept. */
export function aboutPlaces({ repository, scripting, serving, data_folder }: Server): Facts {
  return [
    ['Job repository', repository.path],
    ['In it', `${count(repository.jobs)} ${repository.jobs === 1 ? 'job' : 'jobs'}, ${bytes(repository.bytes)}`],
    ['Users, sessions, log', serving.folder],
    ['Scripts', scripting.folder],
    ['Files of rows', data_folder],
  ]
}

/** The value of a setting that holds for each job: a password is never sent. */
export function valueOf(setting: Standing): string {
  return setting.secret ? 'set' : (setting.value ?? '')
}

/** A section with what of it is shown. */
export interface Shown {
  name: string
  entries: Entry[]
}

/** The settings of a dictionary that have all words of a text, by what is wanted of them. What has no effect and was not changed is left out unless wanted. */
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

/** What a setting can be chosen from; none where it is typed. What it is stands among them, however it was spelt. */
export function choicesOf(entry: Entry): string[] {
  const list = entry.kind === 'bool' ? ['true', 'false'] : entry.kind === '0 or 1' ? ['0', '1'] : (entry.choices ?? [])
  return list.length === 0 || list.includes(entry.value) ? list : [entry.value, ...list]
}

/** Why a new password cannot be; "" where it can. The server decides about what else there is. */
export function mistakeOf(password: string, again: string): string {
  if (again !== '' && password !== again) return 'The two passwords differ.'
  return ''
}
