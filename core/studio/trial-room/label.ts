import { fnv1a } from '#contract/wire/random.ts';

/** What a contestant is called while nobody is to know who it is: says nothing of the order in which they began. */
export const labelOf = (runId: string): string => `Entry ${fnv1a(runId).toString(36).toUpperCase().padStart(7, '0').slice(0, 4)}`;
