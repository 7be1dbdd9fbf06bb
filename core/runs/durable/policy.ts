// A deployment's card on one skill: how long it may run, and how often it may be executed again.
import { z } from 'zod';

export interface RunPolicy {
  maxRuntimeMs: number;
  /** How often it may be executed again after its process was lost; 0 unless it is idempotent. */
  restarts: number;
}

const Card = z.object({
  runtime: z.object({ resources: z.object({ max_runtime_seconds: z.number().positive() }) }),
  skills: z
    .array(z.object({ id: z.string(), policy: z.object({ idempotent: z.boolean().default(false), max_retries: z.number().default(0) }).optional() }))
    .default([]),
});
const defaultRuntimeMs = 600_000;

export function runPolicy(card: unknown, skill: string): RunPolicy {
  const read = Card.safeParse(card);
  if (!read.success) return { maxRuntimeMs: defaultRuntimeMs, restarts: 0 };
  const policy = read.data.skills.find(({ id }) => id === skill)?.policy;
  return { maxRuntimeMs: read.data.runtime.resources.max_runtime_seconds * 1000, restarts: policy?.idempotent === true ? policy.max_retries : 0 };
}
