// The dashboard in the language that SVC_LANGUAGE names: its messages are replaced as its files are compiled, those
// of the browser and those of the server alike. In English nothing is changed.
import { join, relative } from 'node:path';
import type { Plugin } from 'vite';
import { hasMessages } from './catalogue.ts';
import { messagesOf } from './find.ts';
import { type Language, languageNamed, WORDS } from './language.ts';
import { PLURAL } from './styles.ts';
import { translated } from './write.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MODULE = 'virtual:words';

export function inLanguage(language: Language | undefined = languageNamed(process.env.SVC_LANGUAGE)): Plugin {
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
      this.addWatchFile(join(WORDS, `${language.code}.json`));
      const text = translated(code, messagesOf(file, code), ({ english }) => language.translate(file, english));
      return { code: text.includes(`${PLURAL}(`) ? `import { ${PLURAL} } from '${MODULE}';\n${text}` : text, map: null };
    },
    transformIndexHtml: (html) => (language ? html.replace('<html lang="en"', `<html lang="${language.code}"${directionOf(language.code)}`) : html),
  };
}

/** A form for the number itself counts before the one that the rules of the language choose. */
const pluralModule = (code: string): string => `const rules = new Intl.PluralRules(${JSON.stringify(code)});
export const ${PLURAL} = (count, forms) => (forms['=' + count] ?? forms[rules.select(Number(count))] ?? forms.other)();`;

const RIGHT_TO_LEFT = /^(?:ar|fa|he|ps|sd|ug|ur|yi|dv)\b/;
const directionOf = (code: string): string => (RIGHT_TO_LEFT.test(code) ? ' dir="rtl"' : '');
