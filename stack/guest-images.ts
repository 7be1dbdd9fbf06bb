// What agents' machines boot from, and how old it is: two lines of `status`.
import { join } from 'node:path';
import { aboutImages, type About } from '#host/microvm/images/about.ts';
import { readEdition } from '#host/microvm/images/edition.ts';

/** After so long, fixes of a month's security notices are missing. */
const OLD_DAYS = 30;
const DAY_MS = 86_400_000;

export interface GuestImage {
  part: 'guest kernel' | 'base image';
  version: string;
  /** Date, UTC: the kernel was built, the packages of the base image were fetched. */
  of: string;
  age_days: number;
}

/** Empty before set-up has made them. */
export async function guestImages(cacheDir: string, now = Date.now()): Promise<GuestImage[]> {
  const dir = join(cacheDir, 'microvm');
  const { kernel, base } = await aboutImages(dir, await readEdition(dir));
  const image = (part: GuestImage['part'], about: About | undefined): GuestImage[] =>
    about === undefined
      ? []
      : [{ part, version: about.version, of: about.of.toISOString().slice(0, 10), age_days: Math.floor((now - about.of.getTime()) / DAY_MS) }];
  return [...image('guest kernel', kernel), ...image('base image', base)];
}

export function describeImage({ part, version, of, age_days: days }: GuestImage): string {
  const old = days > OLD_DAYS ? ': `npm run refresh` brings what is newer' : '';
  return `${part} ${version}, of ${of}, ${days} ${days === 1 ? 'day' : 'days'} old${old}`;
}
