// What a deployment that waits for a builder is told: the payload of its event `waiting`, each time it has
// changed.
import { z } from 'zod';

export const WAITING_EVENT = 'waiting';

export const BuildLine = z.object({
  place: z.int().positive().nullable().meta({ description: 'From 1; never rises. Null: builds of the same account come first.' }),
  own_before: z.int().nonnegative().default(0).meta({ description: 'Builds of the same account that come first.' }),
  seconds: z.int().nonnegative().nullable().default(null).meta({ description: 'About how long until it is built; null: too few builds are known.' }),
});
export type BuildLine = z.infer<typeof BuildLine>;

/** For people: "2nd in line, about 40 s". */
export function lineText({ place, own_before, seconds }: BuildLine): string {
  const where = place === null ? `after ${own_before} ${own_before === 1 ? 'build' : 'builds'} of your own` : `${ordinal(place)} in line`;
  return seconds === null ? where : `${where}, about ${durationText(seconds)}`;
}

/** As exact as it can be known. */
function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.max(5, Math.ceil(seconds / 5) * 5)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

function ordinal(n: number): string {
  const ending = n % 100 >= 11 && n % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${ending}`;
}
