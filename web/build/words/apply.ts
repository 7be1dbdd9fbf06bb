// Other English for messages, written into the source in the place of theirs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** @param edits by any area, by the English: the other English */
export function applyEdits(edits: Translations): Applied {
  const wanted = new Map(Object.values(edits).flatMap((area) => Object.entries(area)));
  const faults: string[] = [];
  for (const [english, other] of wanted) {
    const fault = faultOf(english, other, 'en');
    if (fault === undefined) continue;
    faults.push(`"${english}": "${other}" ${fault}`);
    wanted.delete(english);
  }
  const unused = new Set(wanted.keys());
  const files = filesWithMessages().filter((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const messages = messagesOf(file, text);
    for (const { english } of messages) unused.delete(english);
    const translate = ({ english }: Message): Element[] | undefined => {
      const words = wanted.get(english);
      return words === undefined ? undefined : read(words);
    };
    const other = translated(text, messages, translate, SOURCE);
    if (other !== text) writeFileSync(join(ROOT, file), other);
    return other !== text;
  });
  return { files, faults, unknown: [...unused] };
}
