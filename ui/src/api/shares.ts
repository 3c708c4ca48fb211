// Requests about shared links.

import { send } from './client.ts'
import type { Documents } from './types.ts'

export type Shared = Documents['api.Shared']
export type Kind = Shared['kind']

/** The links of the user, or of all users for an owner. */
export async function shares(signal?: AbortSignal): Promise<Shared[]> {
  return (await send<Documents['api.SharedList']>('GET', 'shares', undefined, signal)).links
}

/** Makes a link that works until a moment, and returns its address. */
export async function share(kind: Kind, ids: string[], until: Date): Promise<string> {
  const { path } = await send<Documents['api.SharedNow']>('POST', 'shares', { kind, ids, until: until.toISOString() })
  return new URL(path, document.baseURI).href
}

/** Revokes a link. */
export function revoke(id: string): Promise<void> {
  return send('DELETE', `shares/${encodeURIComponent(id)}`)
}
