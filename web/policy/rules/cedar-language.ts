// Cedar for the editor: words, strings, numbers, entities. What is wrong is said by the platform, not here.
import { StreamLanguage } from '@codemirror/language';

const KEYWORDS = new Set(['permit', 'forbid', 'when', 'unless', 'in', 'is', 'has', 'like', 'if', 'then', 'else']);
const VARIABLES = new Set(['principal', 'action', 'resource', 'context']);

export const cedar = StreamLanguage.define<object>({
  name: 'cedar',
  startState: () => ({}),
  languageData: { commentTokens: { line: '//' }, closeBrackets: { brackets: ['(', '[', '{', '"'] } },
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match('//')) {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return 'string';
    if (stream.match(/^@\w+/)) return 'meta';
    if (stream.match(/^\d+/)) return 'number';
    if (stream.match(/^[A-Z]\w*(?=::)/)) return 'typeName';
    const word = stream.match(/^\w+/);
    if (word === null || typeof word === 'boolean') {
      stream.next();
      return null;
    }
    const [text] = word;
    if (KEYWORDS.has(text)) return 'keyword';
    if (text === 'true' || text === 'false') return 'bool';
    return VARIABLES.has(text) ? 'variableName.special' : 'propertyName';
  },
});
