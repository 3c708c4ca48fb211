// The titles of databases and workloads: "TPROC-C", "PostgreSQL". Jobs contain their own names.
// Also, which databases have no server whose sessions and counters a run samples.

import { databases, workloads } from './api/catalog.ts'

class Titles {
  #known = $state.raw<Record<string, string>>({})
  #unsampled = $state.raw<string[]>([])

  /** The title of a database or a workload, or its name if the title is unknown. */
  of(name: string): string {
    return Object.hasOwn(this.#known, name) ? (this.#known[name] ?? name) : name
  }

  /** A job in words: "run TPROC-C on PostgreSQL". The workload of a run of several groups has the names of all. */
  ofJob(job: { action: string; workload: string; database: string }): string {
    const all = job.workload.split(' + ').map((name) => this.of(name))
    return `${job.action} ${all.join(' beside ')} on ${this.of(job.database)}`
  }

  /** Whether a run samples the server's sessions and counters. */
  sampled(database: string): boolean {
    return !this.#unsampled.includes(database)
  }

  /** Requests the titles. If that fails, names are shown. */
  async ask(): Promise<void> {
    try {
      const lists = await Promise.all([databases(), workloads()])
      this.#unsampled = lists[0].filter((one) => one.unsampled !== undefined).map(({ name }) => name)
      this.#known = Object.fromEntries(lists.flat().map(({ name, title }) => [name, title]))
    } catch {
      // The page reports a lost server.
    }
  }
}

export const titles = new Titles()
