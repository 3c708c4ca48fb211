// What the charts of a job's tabs share, beside the viewport.

import type { Mark } from '../../charts/marks.ts'
import type { Run } from '../../charts/run.ts'

export interface Shared {
  /** The run, for the phases and the shown part. */
  run: Run
  marks: readonly Mark[]
}
