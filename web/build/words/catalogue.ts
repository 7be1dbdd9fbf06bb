// All messages of the dashboard, as web/words/en.json lists them: by area, the English and the files that
// say it.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { areaOf, SHARED } from './areas.ts';
import { FORMS, labelsOfForms, VALUES, valuesOfContract } from './contract-words.ts';
import { messagesOf } from './find.ts';
import type { Translations } from './language.ts';
import { print } from './pieces.ts';

export const ROOT = join(import.meta.dirname, '../../..');
/**
 * The rest of web/ is: tools of the build, the gallery of the kit, tests. No reader of the dashboard sees
 * them.
 */
const NOT_SHOWN = /^web\/(?:build|words|server)\/|^web\/kit\/gallery\/|\.test\.tsx?$|\.d\.ts$/;
/** What the contract says to a reader, in words of its own. */
const OF_THE_CONTRACT = [
  'conversation/clock-note',
  'conversation/cron',
  'deploys/build-line',
  'money/price-words',
  'wire/pattern-words',
  'wire/proof-check',
  'wire/secret-files',
  'wire/secure-context',
  'wire/spoken',
  'wire/wording',
].map((name) => `contract/${name}.ts`);

/** @param file from the root of the repository */
export const hasMessages = (file: string): boolean => (/^web\/.*\.tsx?$/.test(file) && !NOT_SHOWN.test(file)) || OF_THE_CONTRACT.includes(file);

export function filesWithMessages(): string[] {
  const files = globSync('web/**/*.{ts,tsx}', { cwd: ROOT }).map((file) => file.replaceAll('\\', '/'));
  return [...files, ...OF_THE_CONTRACT].filter(hasMessages).toSorted();
}

export function catalogueOf(): Translations {
  const filesOf = new Map<string, Set<string>>();
  const add = (english: string, file: string): void => void filesOf.set(english, (filesOf.get(english) ?? new Set()).add(file));
  for (const file of filesWithMessages()) for (const { english } of messagesOf(file, readFileSync(join(ROOT, file), 'utf8'))) add(english, file);
  for (const [label, form] of labelsOfForms()) add(print([label]), `${FORMS}/${form}`);
  for (const value of valuesOfContract()) add(value, `${VALUES}/contract`);
  const areas = new Map<string, [string, string][]>();
  for (const [english, files] of filesOf) {
    const [area = SHARED, ...others] = new Set([...files].map(areaOf));
    const of = others.length > 0 ? SHARED : area;
    areas.set(of, [...(areas.get(of) ?? []), [english, [...files].join(', ')]]);
  }
  const byFile = (a: [string, string], b: [string, string]): number => compare(a[1], b[1]) || compare(a[0], b[0]);
  return Object.fromEntries(
    [...areas]
      .toSorted(([a], [b]) => Number(b === SHARED) - Number(a === SHARED) || compare(a, b))
      .map(([area, all]) => [area, Object.fromEntries(all.toSorted(byFile))]),
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
