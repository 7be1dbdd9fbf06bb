import { CALL_PURPOSES, type CallPurpose } from '#contract/states.ts';

/** Why the platform made a run: said in its receipt, or in the input of its job. */
export function purposeOf(said: string | null, input?: unknown): CallPurpose | null {
  const ofJob = typeof input === 'object' && input !== null && 'purpose' in input ? input.purpose : undefined;
  return CALL_PURPOSES.find((one) => one === said || one === ofJob) ?? null;
}
