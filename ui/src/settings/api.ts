// Requests about the server, its users and the defaults of jobs.

import { get, send } from '../api/client.ts'
import type { Documents } from '../api/types.ts'

export type Version = Documents['document.Version']
export type Server = Documents['api.Server']
export type Users = Documents['api.Users']
export type Defaults = Documents['document.Defaults']
export type Default = Defaults['settings'][number]
export type Notices = Documents['api.Notices']
export type Receiver = Documents['notice.Receiver']
export type Delivery = Documents['notice.Delivery']
export type Kept = Documents['console.Kept']
export type Dictionary = Documents['console.KeptDictionary']
export type Entry = Documents['console.KeptEntry']

export const version = (signal?: AbortSignal): Promise<Version> => get('version', 'sledge-version-1', signal)
export const server = (signal?: AbortSignal): Promise<Server> => send('GET', 'server', undefined, signal)
export const users = (signal?: AbortSignal): Promise<Users> => send('GET', 'web/users', undefined, signal)
export const defaults = (signal?: AbortSignal): Promise<Defaults> => get('defaults', 'sledge-defaults-1', signal)
export const kept = (signal?: AbortSignal): Promise<Kept> => send('GET', 'console/settings', undefined, signal)

export const notices = (signal?: AbortSignal): Promise<Notices> => send('GET', 'notices', undefined, signal)

const receiver = (name: string): string => `notices/receivers/${encodeURIComponent(name)}`

/** Saves a receiver of notices. Secrets that it does not have stay as they are. */
export const saveReceiver = (name: string, value: Omit<Receiver, 'name'>): Promise<Receiver> => send('PUT', receiver(name), value)
export const removeReceiver = (name: string): Promise<void> => send('DELETE', receiver(name))
/** Sends a test to a receiver, and returns the delivery, even if it failed. */
export const testReceiver = (name: string): Promise<Delivery> => send('POST', `${receiver(name)}/test`)

/** Keeps a setting of the console, and returns the line that its command prints. */
export const keep = async (setting: Documents['api.KeptSetting']): Promise<string> => (await send<Documents['api.KeptLine']>('PUT', 'console/settings', setting)).line

// Sessions belong to the web server, not to the API.
const session = (path: string): string => `../../session/${path}`

/** Changes the user's password. */
export const changePassword = (old: string, password: string): Promise<void> => send('POST', session('password'), { old, new: password })
/** Ends the user's other sessions. */
export const endOthers = (): Promise<void> => send('DELETE', session('others'))
