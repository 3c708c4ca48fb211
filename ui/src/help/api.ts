// Requests about the manual.

import { send } from '../api/client.ts'
import type { Documents } from '../api/types.ts'

export type Head = Documents['help.Head']
export type Page = Documents['help.Page']
export type Hit = Documents['help.Hit']

/** All pages. */
export async function manual(signal?: AbortSignal): Promise<Head[]> {
  return (await send<{ pages: Head[] }>('GET', 'manual', undefined, signal)).pages
}

/** A page, by its name: "web", "commands/sledge_run". */
export function manualPage(name: string, signal?: AbortSignal): Promise<Page> {
  return send('GET', `manual/page?${new URLSearchParams({ name }).toString()}`, undefined, signal)
}

/** The sections that contain all words of a text. */
export async function search(text: string, signal?: AbortSignal): Promise<Hit[]> {
  return (await send<{ hits: Hit[] }>('GET', `manual/search?${new URLSearchParams({ text }).toString()}`, undefined, signal)).hits
}
