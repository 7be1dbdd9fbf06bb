// One language of the dashboard: web/words/<code>.json says the messages of web/words/en.json in it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TYPE } from '@formatjs/icu-messageformat-parser';
import { z } from 'zod';
import { SHARED } from './areas.ts';
import { type Element, faultOf, read } from './icu.ts';
import { print } from './pieces.ts';

export const WORDS = join(import.meta.dirname, '../../words');

/** A language that nobody speaks: each message stands between ⟦ and ⟧. What stands outside is no message. */
export const PSEUDO = 'en-XA';

/** By area, by the English. */
export type Translations = Record<string, Record<string, string>>;
const Translations = z.record(z.string(), z.record(z.string(), z.string()));

export interface Language {
  code: string;
  /** @param area of the catalogue. @returns undefined: nothing, or nothing that can be used */
  translate(area: string, english: string): Element[] | undefined;
  /** Its file was changed. */
  reload(): void;
}

/** The language that `SVC_LANGUAGE` names; undefined: English, as the source says it. */
export function languageNamed(code: string | undefined): Language | undefined {
  if (code === undefined || code === '' || code === 'en') return undefined;
  if (code === PSEUDO) return { code, translate: (_, english) => read(`⟦${english}⟧`), reload: () => undefined };
  return languageOf(code, () => readTranslations(code));
}

export function languageOf(code: string, load: () => Translations): Language {
  let translations = load();
  return {
    code,
    translate(area, english) {
      const translation = translations[area]?.[english] ?? translations[SHARED]?.[english];
      return translation === undefined || faultOf(english, translation, code) !== undefined ? undefined : read(translation);
    },
    reload() {
      translations = load();
    },
  };
}

/** A text without values in it, in the language. */
export function plainly(language: Language | undefined, area: string, english: string): string {
  const elements = language?.translate(area, print([english]));
  return elements?.map((element) => (element.type === TYPE.literal ? element.value : '')).join('') ?? english;
}

export function readTranslations(code: string): Translations {
  if (!/^[a-z]{2,3}(?:-[A-Za-z0-9]+)*$/.test(code)) throw new Error(`SVC_LANGUAGE is a language tag such as de or pt-BR, not ${code}`);
  return translationsIn(readFileSync(join(WORDS, `${code}.json`), 'utf8'));
}

export const translationsIn = (json: string): Translations => Translations.parse(JSON.parse(json));
export const catalogueText = (catalogue: Translations): string => `${JSON.stringify(catalogue, undefined, 2)}\n`;

/** What a language lacks, and what of it cannot be used: a line each. */
export function stateOf(code: string, translations: Translations, catalogue: Translations): { missing: string[]; faults: string[] } {
  const [missing, faults]: [string[], string[]] = [[], []];
  for (const [area, messages] of Object.entries(catalogue))
    for (const english of Object.keys(messages)) if (translations[area]?.[english] === undefined) missing.push(`${area}: ${english}`);
  for (const [area, messages] of Object.entries(translations))
    for (const [english, translation] of Object.entries(messages)) {
      const isKnown = catalogue[area]?.[english] !== undefined || catalogue[SHARED]?.[english] !== undefined;
      const fault = isKnown ? faultOf(english, translation, code) : 'is of no message any more: the English was changed';
      if (fault !== undefined) faults.push(`${area}: "${english}": "${translation}" ${fault}`);
    }
  return { missing, faults };
}
