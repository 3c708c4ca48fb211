// What databases and workloads are called in sentences: "TPROC-C", "PostgreSQL". Jobs have their own names.

import { databases, workloads } from './api/catalog.ts'

class Titles {
  #known = $state.raw<Record<string, string>>({})

  /** The title of a database or a workload; what these pages do not know is called by its own name. */
  of(name: string): string {
    return Object.hasOwn(this.#known, name) ? (this.#known[name] ?? name) : name
  }

  /** What a job does, in words: "run TPROC-C on PostgreSQL". */
  ofJob(job: { action: string; workload: string; database: string }): string {
    return `${job.action} ${this.of(job.workload)} on ${this.of(job.database)}`
  }

  /** Asks the server. Where that has no answer, own names stay. */
  async ask(): Promise<void> {
    try {
      const lists = await Promise.all([databases(), workloads()])
      this.#known = Object.fromEntries(lists.flat().map(({ name, title }) => [name, title]))
    } catch {
      // The page itself says when the server is gone.
    }
  }
}

export const titles = new Titles()
