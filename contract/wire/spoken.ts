// Messages of the validators that agents and the platform use, in the words of forms. An agent's runtime may
// be of another language or an older version: what it sends is read as text. All else stays as its author
// wrote it.
import { patternWords } from './pattern-words.ts';
import { choiceWords, count, formatWords, REQUIRED, sentence, typeWords } from './wording.ts';

type Reading = [form: RegExp, words: (...groups: string[]) => string];

const KNOWN: readonly Reading[] = [
  [/^Invalid input: expected .+, received (?:undefined|null)$/s, () => REQUIRED],
  [/^Field required$/, () => REQUIRED],
  [/^Invalid input: expected int, received .+$/s, () => 'A whole number'],
  [/^Invalid input: expected (string|number|boolean|array|object|record), received .+$/s, (type) => sentence(typeWords(type === 'record' ? 'object' : type))],
  [/^Invalid option: expected one of (.+)$/s, (all) => choiceWords(all.split('|').map(unquoted))],
  [/^Invalid input: expected (".+"|-?[\d.]+|true|false)$/s, (value) => `Must be ${unquoted(value)}`],
  [/^Too (small|big): expected (?:string|array|file|set|map) to have (>=|<=|>|<|exactly )(\d+) (character|item|byte|entr)\w*$/, sizeWords],
  [/^Too (small|big): expected \w+ to be (>=|<=|>|<|exactly )(-?[\d.e+]+)$/, (_, sign, limit) => `A number, ${SIGNS[sign] ?? ''} ${limit}`],
  [/^Invalid string: must match pattern \/(.*)\/[a-z]*$/s, (pattern) => patternWords(pattern.replaceAll(String.raw`\/`, '/')) ?? NOT_IN_FORM],
  [/^Invalid string: must (start with|end with|include) (.+)$/s, (how, what) => `Must ${how} ${what}`],
  [/^Invalid number: must be a multiple of (.+)$/, (step) => (step === '1' ? 'A whole number' : `A multiple of ${step}`)],
  [/^Unrecognized keys?: (.+)$/s, (names) => `Not known here: ${names.split(', ').map(unquoted).join(', ')}`],
  [/^Invalid email address$/, () => sentence(formatWords('email') ?? '')],
  [/^Invalid URL$/, () => sentence(formatWords('url') ?? '')],
  [/^Invalid ISO (datetime|date|time|duration)$/, (kind) => sentence(formatWords(kind === 'datetime' ? 'date-time' : kind) ?? '')],
  [/^Invalid (UUID|IPv4 address|IPv6 address|base64-encoded string|IBAN)$/, (kind) => `Must be a valid ${kind}`],
  [/^Invalid discriminator value\. Expected (.+)$/s, (all) => choiceWords(all.split(' | ').map(unquoted))],
  [/^Invalid input: more than one option matched$/, () => 'Must be exactly one of what is allowed here'],
  [/^Invalid input$/, () => 'None of what is allowed here'],
];
const NOT_IN_FORM = 'Not in the form that is required here';
const SIGNS: Record<string, string> = { '>=': 'at least', '<=': 'at most', '>': 'more than', '<': 'less than', 'exactly ': 'exactly' };
const UNITS: Record<string, string> = { character: 'character', item: 'item', byte: 'byte', entr: 'item' };

export function spoken(message: string): string {
  for (const [form, words] of KNOWN) {
    const match = form.exec(message);
    if (match) return words(...match.slice(1));
  }
  return message;
}

function sizeWords(_: string, sign: string, limit: string, unit: string): string {
  if (limit === '1' && sign === '>=') return unit === 'item' ? 'At least 1 item' : REQUIRED;
  return `${sentence(SIGNS[sign] ?? '')} ${count(limit, UNITS[unit] ?? unit)}`;
}

function unquoted(text: string): string {
  return text.replace(/^["'](.*)["']$/s, '$1');
}
