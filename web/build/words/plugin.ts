// The dashboard in the language that SVC_LANGUAGE names: its messages are replaced as its files are
// compiled, those of the browser and those of the server alike. In English nothing is changed.
import { join, relative } from 'node:path';
import type { Plugin } from 'vite';
import { areaOf } from './areas.ts';
import { hasMessages } from './catalogue.ts';
import { VALUES, valuesOfContract } from './contract-words.ts';
import { messagesOf } from './find.ts';
import { type Language, plainly, WORDS } from './language.ts';
import { PLURAL } from './styles.ts';
import { translated } from './write.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Its table is empty in the source. */
const IN_WORDS = 'web/kit/in-words.ts';
const EMPTY = /(?<=const WORDS\b[^=]*= )\{\}/;
const MODULE = 'virtual:words';

export function inLanguage(language: Language | undefined): Plugin {
  return {
    name: 'svc:words',
    enforce: 'pre',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load(id) {
      return id === `\0${MODULE}` && language ? pluralModule(language.code) : undefined;
    },
    transform(code, id) {
      const file = relative(ROOT, id.replace(/\?.*$/, ''));
      if (!language || !hasMessages(file)) return undefined;
      if (file === IN_WORDS) return { code: withValues(code, language), map: null };
      const text = translated(code, messagesOf(file, code), ({ english }) => language.translate(areaOf(file), english));
      return { code: text.includes(`${PLURAL}(`) ? `import { ${PLURAL} } from '${MODULE}';\n${text}` : text, map: null };
    },
    handleHotUpdate({ file, server }) {
      if (!language || file !== join(WORDS, `${language.code}.json`)) return undefined;
      language.reload();
      server.moduleGraph.invalidateAll();
      server.ws.send({ type: 'full-reload' });
      return [];
    },
    transformIndexHtml: (html) => (language ? html.replace('<html lang="en"', `<html lang="${language.code}"${directionOf(language.code)}`) : html),
  };
}

function withValues(code: string, language: Language): string {
  if (!EMPTY.test(code)) throw new Error(`${IN_WORDS} has no empty table of words`);
  const words = Object.fromEntries(valuesOfContract().map((value) => [value, plainly(language, VALUES, value)]));
  return code.replace(EMPTY, () => JSON.stringify(words));
}

/** A form for the number itself counts before the one that the rules of the language choose. */
const pluralModule = (code: string): string => `const rules = new Intl.PluralRules(${JSON.stringify(code)});
export const ${PLURAL} = (count, forms) => (forms['=' + count] ?? forms[rules.select(Number(count))] ?? forms.other)();`;

const RIGHT_TO_LEFT = /^(?:ar|fa|he|ps|sd|ug|ur|yi|dv)\b/;
const directionOf = (code: string): string => (RIGHT_TO_LEFT.test(code) ? ' dir="rtl"' : '');
