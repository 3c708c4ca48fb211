// Requests about boards.

import { send } from './client.ts'
import type { Documents, Job } from './types.ts'

export type BoardHead = Documents['api.BoardHead']
export type Tile = Documents['api.Tile']
/** A tile with the jobs that it shows now. */
export type ShownTile = Omit<Documents['api.BoardTile'], 'jobs'> & { jobs: Job[] }
export type Board = Omit<Documents['api.Board'], 'tiles'> & { tiles: ShownTile[] }

const of = (id: string | number): string => `boards/${encodeURIComponent(id)}`

export async function boards(signal?: AbortSignal): Promise<BoardHead[]> {
  return (await send<Documents['api.Boards']>('GET', 'boards', undefined, signal)).boards
}

/** A board, with the jobs that it shows now. */
export function board(id: string, signal?: AbortSignal): Promise<Board> {
  return send('GET', of(id), undefined, signal)
}

/** Saves a new board. */
export function saveBoard(name: string, tiles: Tile[]): Promise<Board> {
  return send('POST', 'boards', { name, tiles })
}

/** Replaces the name and the tiles of a board. */
export function changeBoard(id: string, name: string, tiles: Tile[]): Promise<Board> {
  return send('PUT', of(id), { name, tiles })
}

export function deleteBoard(id: string): Promise<void> {
  return send('DELETE', of(id))
}
