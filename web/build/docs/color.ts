// Code in colors: each piece is named by what it is; the page's style sheet has the colors of both themes.
import { javascriptLanguage, typescriptLanguage } from '@codemirror/lang-javascript';
import { jsonLanguage } from '@codemirror/lang-json';
import { pythonLanguage } from '@codemirror/lang-python';
import { yamlLanguage } from '@codemirror/lang-yaml';
import { highlightTree, tagHighlighter, tags } from '@lezer/highlight';
import type { CodePart } from '../../docs/tree.ts';

const LANGUAGES = {
  ts: typescriptLanguage,
  typescript: typescriptLanguage,
  js: javascriptLanguage,
  py: pythonLanguage,
  python: pythonLanguage,
  json: jsonLanguage,
  yaml: yamlLanguage,
};
const isKnown = (language: string): language is keyof typeof LANGUAGES => language in LANGUAGES;

const names = tagHighlighter([
  { tag: tags.comment, class: 'comment' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.self, tags.modifier], class: 'keyword' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], class: 'string' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], class: 'value' },
  { tag: [tags.typeName, tags.className, tags.namespace], class: 'type' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.function(tags.definition(tags.variableName))], class: 'function' },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: 'property' },
  { tag: tags.meta, class: 'keyword' },
]);

export function colored(language: string, code: string): CodePart[] {
  if (language === 'sh' || language === 'console') return code.split(/(?<=\n)/).flatMap((line) => shellLine(line, language === 'console'));
  if (!isKnown(language)) return code === '' ? [] : [code];
  const parts: CodePart[] = [];
  let done = 0;
  highlightTree(LANGUAGES[language].parser.parse(code), names, (from, to, of) => {
    if (from > done) parts.push(code.slice(done, from));
    parts.push([of, code.slice(from, to)]);
    done = to;
  });
  if (done < code.length) parts.push(code.slice(done));
  return parts;
}

/**
 * A command and its comment. In a recorded session, commands have a prompt and the rest is what they printed.
 */
function shellLine(line: string, isSession: boolean): CodePart[] {
  if (isSession)
    return line.startsWith('$ ')
      ? [
          ['comment', '$ '],
          ['keyword', line.slice(2)],
        ]
      : [line];
  const comment = /(?:^|\s)#\s.*/.exec(line);
  if (!comment) return [line];
  const before = line.slice(0, comment.index);
  return [...(before === '' ? [] : [before]), ['comment', comment[0]], ...(line.endsWith('\n') ? ['\n'] : [])];
}
