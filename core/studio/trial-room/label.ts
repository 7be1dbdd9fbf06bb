import { fnv1a } from '#contract/wire/random.ts';

/** The name of an anonymous contestant; independent of the order in which contestants started. */
export const labelOf = (runId: string): string => `Entry ${fnv1a(runId).toString(36).toUpperCase().padStart(7, '0').slice(0, 4)}`;
