import type { z } from 'zod';
import type { JobEventOut } from '#contract/runs/work-ledger.ts';
import type { JobEvent } from './model.ts';

/** A job event as every stream and list shows it. */
export function presentEvent(event: JobEvent): z.infer<typeof JobEventOut> {
  return { job_id: event.job_id, seq: event.seq, kind: event.kind, payload: event.payload, at: event.at.toISOString() };
}
