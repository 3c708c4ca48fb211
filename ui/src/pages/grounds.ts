// What the figures of a run rest on, and what shakes them, in the words and by the limits of
// the command line (internal/report/truth.go, internal/job/job.go).

import type { Agreement, Job } from '../api/types.ts'
import { count, spell } from '../format.ts'

/** A line, with how good it is. */
export interface Ground {
  tone: 'good' | 'doubtful' | 'bad'
  text: string
}

const signs: Record<Ground['tone'], string> = { good: '✓', doubtful: '!', bad: '✗' }

export function signOfGround(ground: Ground): string {
  return signs[ground.tone]
}

/** The share of its cores from which on a client is near its limit. */
const nearLimit = 0.8
/** How many seconds without a transaction that ended are a standstill. */
const standstill = 1
/** By how many percent the server's count of all transactions may be out of its bounds. */
const trusted = 1

/** By how much of the larger count the server's is out of its bounds, in percent. */
function off(a: Agreement): number {
  return (100 * Math.max(a.low - a.server, a.server - a.high, 0)) / Math.max(a.client, a.server, 1)
}

function agreement(a: Agreement): Ground {
  const counts = `the virtual users counted ${count(a.client)} ${a.what} transactions${a.over ? ` over the connections to ${a.over}` : ''}, the server ${count(a.server)} (${count(a.low)} to ${count(a.high)} expected)`
  if (a.none) return { tone: 'doubtful', text: `Counts are not compared: there were no ${a.what} transactions to do` }
  if (a.vague) return { tone: 'doubtful', text: `Counts are too few to compare: ${counts}` }
  return a.holds ? { tone: 'good', text: `Counts agree: ${counts}` } : { tone: 'bad', text: `Counts disagree: ${counts}` }
}

/** The lines of a job, what is bad first. */
export function groundsOf(job: Job): Ground[] {
  const list: Ground[] = []
  if (job.agreement) list.push(agreement(job.agreement))
  const all = job.counter_agreement
  if (all) {
    const counts = `the server counted ${count(all.server)} transactions in all and the virtual users ${count(all.client)}`
    if (all.vague) list.push({ tone: 'doubtful', text: `TPM cannot be checked: ${counts}, too few to compare` })
    else if (off(all) <= trusted) list.push({ tone: 'good', text: `TPM agrees: ${counts}` })
    else list.push({ tone: 'bad', text: `TPM cannot be trusted: ${counts}` })
  }
  const gap = job.longest_gap
  if (gap && gap.seconds >= standstill) {
    const others = (job.standstills ?? 0) > 1 ? `, the longest of ${count(job.standstills ?? 0)} standstills of a second or more` : ''
    list.push({ tone: 'bad', text: `No transaction ended for ${spell(gap.seconds)}, from ${spell(gap.from_seconds)} on${others}` })
  }
  const client = job.client
  if (client && !client.with_database && client.cores_used >= nearLimit * client.cores) {
    list.push({ tone: 'bad', text: `The client was near its limit: ${client.cores_used.toFixed(2)} of ${client.cores} cores used` })
  }
  if (job.unrecorded_events) list.push({ tone: 'bad', text: `Incomplete: the repository could not take ${count(job.unrecorded_events)} events` })
  for (const outage of job.outages ?? []) list.push({ tone: 'doubtful', text: `${count(outage.lost)} connections were lost, from ${spell(outage.from_seconds)} on` })
  const durability = job.facts?.durability
  if (durability) {
    list.push(
      durability.holds
        ? { tone: 'good', text: `Commits survive a power failure: ${durability.why}` }
        : { tone: 'doubtful', text: `A power failure may lose commits: ${durability.why}` },
    )
  }
  const order: Ground['tone'][] = ['bad', 'doubtful', 'good']
  return list.sort((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone))
}
