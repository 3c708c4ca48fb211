// What the command palette finds: pages, jobs, saved set-ups, options and sections of the manual.

import { options as fetchOptions } from '../api/catalog.ts'
import { jobs as fetchJobs } from '../api/jobs.ts'
import type { Job } from '../api/types.ts'
import { headline, stamp } from '../format.ts'
import { search as searchManual } from '../help/api.ts'
import { pages } from '../pages.ts'
import { signOf } from '../parts/status.ts'
import { toJob } from '../route.ts'
import { session } from '../session.svelte.ts'
import { savedSetups, toSetup } from '../setup/saved.ts'
import { mend } from '../setup/mend.svelte.ts'
import { setup } from '../setup.svelte.ts'
import { titles } from '../titles.svelte.ts'

/** An entry of a group. Choosing it goes to its address, or does something. */
export interface Entry {
  title: string
  about: string
  go: string | (() => void)
}

export interface Group {
  name: string
  entries: Entry[]
}

/** The most entries of a group. */
const most = 6

/** Whether a text contains all words, ignoring case. */
function has(text: string, words: string[]): boolean {
  const lower = text.toLowerCase()
  return words.every((word) => lower.includes(word))
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter((word) => word !== '')
}

/** The named pages that match a text by their names or groups. They are known at once. */
export function pagesFor(text: string): Group {
  const words = wordsOf(text)
  const found = pages.flatMap(({ name, group = 'page', path, members }): Entry[] => (name !== undefined && (members || !session.member) && has(`${name} ${group}`, words) ? [{ title: name, about: group, go: `#/${path}` }] : []))
  return { name: 'Pages', entries: text.trim() === '' ? found : found.slice(0, most) }
}

/** What the server finds for a text: jobs, saved set-ups, options of the set-up, and sections of the manual. */
export async function foundFor(text: string, signal: AbortSignal): Promise<Group[]> {
  const words = wordsOf(text)
  if (words.length === 0) return []
  const [jobs, setups, options, sections] = await Promise.allSettled([
    fetchJobs({ text }, most, '', signal),
    savedSetups(signal),
    setup.ready && setup.workload !== '' ? fetchOptions(setup.database, setup.workload, signal) : Promise.resolve(undefined),
    searchManual(text, signal),
  ])
  const list: Job[] = jobs.status === 'fulfilled' ? jobs.value.jobs : []
  const valueOf = <T>(settled: PromiseSettledResult<T>): T | undefined => (settled.status === 'fulfilled' ? settled.value : undefined)
  return [
    {
      name: 'Jobs',
      entries: list.map((job) => ({
        title: titles.ofJob(job),
        about: [job.id.slice(0, 12), signOf(job.status).word, headline(job), stamp(job.begun), ...Object.entries(job.labels ?? {}).map(([name, value]) => (value ? `${name}: ${value}` : name))].filter(Boolean).join(' · '),
        go: toJob(job.id),
      })),
    },
    {
      name: 'Saved set-ups',
      entries: (valueOf(setups) ?? [])
        .filter((one) => has(`${one.name} ${titles.ofJob(one)} ${one.connection ?? ''}`, words))
        .slice(0, most)
        .map((one) => ({ title: one.name, about: titles.ofJob(one), go: session.member ? '#/start' : toSetup(one.id) })),
    },
    {
      name: `Options of ${titles.of(setup.workload)} on ${titles.of(setup.database)}`,
      entries: (valueOf(options)?.options ?? [])
        .filter((option) => has([option.name, option.key, option.flag ?? '', option.label].join(' '), words))
        .slice(0, most)
        .map((option) => ({ title: option.label || option.name, about: option.name, go: () => mend.show(option.name) })),
    },
    { name: 'Manual', entries: (valueOf(sections) ?? []).slice(0, most).map((hit) => ({ title: hit.heading.text, about: hit.page.title, go: hit.address })) },
  ]
}
