// When a build begins, as far as the last ones tell.

export interface Ahead {
  /** In the line, from 1. */
  position: number;
  /** At the same time. */
  builders: number;
  /** Of each build under way, the seconds it has taken so far. */
  building: readonly number[];
  /** Seconds that a build takes; null: not known. */
  typical: number | null;
}

/** Whole seconds; null: no build is known. One that takes longer than usual is taken to end at once. */
export function secondsUntil({ position, builders, building, typical }: Ahead): number | null {
  if (typical === null) return null;
  const free = building.map((taken) => Math.max(0, typical - taken));
  while (free.length < builders) free.push(0);
  // Each that is before goes to the builder that is free first.
  let begins = 0;
  for (let place = 1; place <= position; place += 1) {
    free.sort((a, b) => a - b);
    begins = free.shift() ?? 0;
    free.push(begins + typical);
  }
  return Math.round(begins);
}
