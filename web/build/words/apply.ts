// Other English for messages, written into the source in the place of theirs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { areaOf, SHARED } from './areas.ts';
import { filesWithMessages, ROOT } from './catalogue.ts';
import { type Message, messagesOf } from './find.ts';
import { type Element, faultOf, read } from './icu.ts';
import type { Translations } from './language.ts';
import { SOURCE } from './styles.ts';
import { translated } from './write.ts';

export interface Applied {
  /** That were changed. */
  files: string[];
  faults: string[];
  /** The English that is nowhere. */
  unknown: string[];
}

/** @param edits by area, by the English: the other English. Those under "shared" count everywhere */
export function applyEdits(edits: Translations): Applied {
  const all = Object.values(edits).flatMap((area) => Object.entries(area));
  const faults = all.flatMap(([english, other]) => {
    const fault = faultOf(english, other, 'en');
    return fault === undefined ? [] : [`"${english}": "${other}" ${fault}`];
  });
  if (faults.length > 0) return { files: [], faults, unknown: [] };
  const unused = new Set(all.map(([english]) => english));
  const files = filesWithMessages().filter((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const messages = messagesOf(file, text);
    const translate = ({ english }: Message): Element[] | undefined => {
      const words = edits[areaOf(file)]?.[english] ?? edits[SHARED]?.[english];
      if (words === undefined) return undefined;
      unused.delete(english);
      return read(words);
    };
    const other = translated(text, messages, translate, SOURCE);
    if (other !== text) writeFileSync(join(ROOT, file), other);
    return other !== text;
  });
  return { files, faults, unknown: [...unused] };
}
