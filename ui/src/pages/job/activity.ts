// Sums of what active sessions did.

import type { ActivityShare } from '../../api/types.ts'

export interface Row {
  names: string[]
  sessions: number
}

/** The shares of clients' sessions, or of others, added up by some of their members, the greatest first. */
export function sumsOf(shares: readonly ActivityShare[], by: (share: ActivityShare) => string[], of = (share: ActivityShare): boolean => share.background === undefined): Row[] {
  const rows = new Map<string, Row>()
  for (const share of shares.filter(of)) {
    const names = by(share)
    const key = JSON.stringify(names)
    const row = rows.get(key) ?? { names, sessions: 0 }
    row.sessions += share.sessions
    rows.set(key, row)
  }
  return [...rows.values()].sort((a, b) => b.sessions - a.sessions)
}
