// The second connection of a runtime to its worker, which a thread of the worker answers while the loop
// cannot. A worker that has it names it in its hello (`watch`):
//
//   GET /watch?of=NAME · Connection: Upgrade · Upgrade: svc-watch/1
//     → 101, then one JSON object a line each way; every question is answered.
import { z } from 'zod';

export const WATCH_PROTOCOL = 'svc-watch/1';
const id = z.int().positive();
const run = z.int().positive();

export const ToWatch = z.discriminatedUnion('t', [
  /** `stack`: say also where the loop is. */
  z.object({ t: z.literal('look'), id, stack: z.boolean() }),
  /** Take a run back that was sent over the first connection; possible while it has not begun. */
  z.object({ t: z.literal('take'), id, run }),
]);
export type ToWatch = z.infer<typeof ToWatch>;

const LoopState = z.object({
  t: z.literal('state'),
  id,
  /** How long the loop has not turned. 0: it turns. */
  blocked_ms: z.number().nonnegative(),
  /** Whose code it is, where that is known. */
  run: run.optional(),
  stack: z.string().optional(),
});
export type LoopState = z.infer<typeof LoopState>;

export const FromWatch = z.discriminatedUnion('t', [
  LoopState,
  /** `ok`: the run never begins in this worker. */
  z.object({ t: z.literal('taken'), id, ok: z.boolean() }),
]);
export type FromWatch = z.infer<typeof FromWatch>;
