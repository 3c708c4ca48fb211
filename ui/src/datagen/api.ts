// Requests about generated files.

import type { components } from '../../generated/openapi.ts'
import { address, send } from '../api/client.ts'

type Documents = components['schemas']

export type Task = Documents['datagen.Report']
export type Outline = Documents['datagen.Outline']
export type DataFiles = Documents['api.DataFiles']
export type FilesPage = Documents['api.FilesPage']
export type Options = Documents['document.Options']
/** The request. An invalid number is sent as it was typed, so that the response names the error. */
export type Wanted = Record<string, unknown>

const at = (id: string): string => `datagen/${encodeURIComponent(id)}`

export const dataFiles = (signal?: AbortSignal): Promise<DataFiles> => send('GET', 'datagen', undefined, signal)
export const options = (database: string, workload: string, signal?: AbortSignal): Promise<Options> =>
  send('GET', `datagen/options?${new URLSearchParams({ ...(database === '' ? {} : { database }), workload }).toString()}`, undefined, signal)
export const outline = (wanted: Wanted, signal?: AbortSignal): Promise<Outline> => send('POST', 'datagen/outline', wanted, signal)
export const generate = (wanted: Wanted): Promise<Task> => send('POST', 'datagen', wanted)
export const verify = (folder: string): Promise<Task> => send('POST', 'datagen/verify', { folder })
export const task = (id: string, signal?: AbortSignal): Promise<Task> => send('GET', at(id), undefined, signal)
export const files = (id: string, from: number, limit: number): Promise<FilesPage> => send('GET', `${at(id)}/files?from=${from}&limit=${limit}`)
export const stop = (id: string): Promise<Task> => send('POST', `${at(id)}/stop`)

/** The address of a task's stream after the message with an id. */
export const eventsOf = (id: string, after: string): string => address(`${at(id)}/events${after === '' ? '' : `?after=${encodeURIComponent(after)}`}`)

export const toTask = (id: string): string => `#/datagen/${encodeURIComponent(id)}`
