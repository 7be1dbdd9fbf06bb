/**
 * mutate: one parameter moved, or another strategy · sweep: the first parameter at even distances over its
 * range.
 */
export const EVOLUTION_STRATEGIES = ['mutate', 'sweep'] as const;
export type EvolutionStrategy = (typeof EVOLUTION_STRATEGIES)[number];
