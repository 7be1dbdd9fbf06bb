// Filters of RFC 7644 §3.4.2.2, read in one pass with bounds on length, depth and number of comparisons.
import { storableText } from '../../../kernel/storable.ts';
import { filterInvalid } from '../error.ts';

const MAX_CHARS = 4_096;
const MAX_DEPTH = 20;
const MAX_COMPARISONS = 50;

const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Operator = (typeof OPERATORS)[number];
export type Literal = string | number | boolean | null;

export type Filter =
  | { op: 'and' | 'or'; filters: Filter[] }
  | { op: 'not'; filter: Filter }
  | { op: 'pr'; path: string }
  | { op: 'compare'; operator: Operator; path: string; value: Literal }
  /** One value of the attribute fits all of it: `emails[type eq "work" and value co "@example.com"]`. */
  | { op: 'some'; path: string; filter: Filter };

interface Token {
  text: string;
  kind: 'mark' | 'string' | 'word';
}

/** @throws BadRequest scim_filter_invalid */
export function parseFilter(text: string): Filter {
  if (text.length > MAX_CHARS) throw filterInvalid(`it may have at most ${MAX_CHARS} characters`);
  const reader = new Reader(tokensOf(text));
  const filter = either(reader, 0);
  const rest = reader.peek();
  if (rest) throw filterInvalid(`"${shown(rest)}" stands where it should end`);
  return filter;
}

class Reader {
  readonly #tokens: Token[];
  #at = 0;
  comparisons = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  next(wanted: string): Token {
    const token = this.#tokens[this.#at];
    if (!token) throw filterInvalid(`it ends where ${wanted} should be`);
    this.#at += 1;
    return token;
  }

  /** Steps over this word or mark, if it comes next. */
  take(text: string): boolean {
    const token = this.peek();
    if (token === undefined || token.kind === 'string' || token.text.toLowerCase() !== text) return false;
    this.#at += 1;
    return true;
  }
}

function tokensOf(text: string): Token[] {
  const pattern = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))/y;
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const match = pattern.exec(text);
    if (!match) throw filterInvalid('a text in it has no closing quotation mark');
    const [, mark, string, word] = match;
    tokens.push(
      mark !== undefined ? { text: mark, kind: 'mark' } : string !== undefined ? { text: string, kind: 'string' } : { text: word ?? '', kind: 'word' },
    );
  }
  return tokens;
}

function either(reader: Reader, depth: number): Filter {
  const filters = [both(reader, depth)];
  while (reader.take('or')) filters.push(both(reader, depth));
  return joined('or', filters);
}

function both(reader: Reader, depth: number): Filter {
  const filters = [one(reader, depth)];
  while (reader.take('and')) filters.push(one(reader, depth));
  return joined('and', filters);
}

function joined(op: 'and' | 'or', filters: Filter[]): Filter {
  const [only] = filters;
  return filters.length === 1 && only ? only : { op, filters };
}

function one(reader: Reader, depth: number): Filter {
  if (depth >= MAX_DEPTH) throw filterInvalid(`it may be nested ${MAX_DEPTH} deep`);
  if (reader.take('(')) return closed(reader, depth);
  const first = reader.next('the name of an attribute');
  if (first.kind !== 'word') throw filterInvalid(`"${shown(first)}" stands where the name of an attribute should be`);
  if (first.text.toLowerCase() === 'not' && reader.take('(')) return { op: 'not', filter: closed(reader, depth) };
  return comparison(reader, first.text, depth);
}

function closed(reader: Reader, depth: number): Filter {
  const filter = either(reader, depth + 1);
  if (!reader.take(')')) throw filterInvalid('a parenthesis is not closed');
  return filter;
}

function comparison(reader: Reader, path: string, depth: number): Filter {
  if (reader.take('[')) return values(reader, path, depth);
  reader.comparisons += 1;
  if (reader.comparisons > MAX_COMPARISONS) throw filterInvalid(`it may compare ${MAX_COMPARISONS} times`);
  const word = reader.next('an operator').text.toLowerCase();
  if (word === 'pr') return { op: 'pr', path };
  const operator = OPERATORS.find((known) => known === word);
  if (!operator) throw filterInvalid(`"${word.slice(0, 40)}" is not an operator: use ${OPERATORS.join(', ')} or pr`);
  return { op: 'compare', operator, path, value: literal(reader.next('a value')) };
}

/**
 * `emails[type eq "work"]`, and what clients write beside the RFC: `emails[type eq "work"].value eq
 * "ada@example.com"`.
 */
function values(reader: Reader, path: string, depth: number): Filter {
  const filter = either(reader, depth + 1);
  if (!reader.take(']')) throw filterInvalid('a bracket is not closed');
  const after = reader.peek();
  if (after?.kind !== 'word' || !after.text.startsWith('.')) return { op: 'some', path, filter };
  reader.next('a part');
  return { op: 'some', path, filter: joined('and', [filter, comparison(reader, after.text.slice(1), depth)]) };
}

function literal({ text, kind }: Token): Literal {
  try {
    const value: unknown = kind === 'string' ? JSON.parse(text) : JSON.parse(text.toLowerCase());
    if (typeof value === 'string' && storableText(value) !== value) throw filterInvalid('a text has U+0000 or half of a character, which no value has');
    if (value === null || typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Said below.
  }
  throw filterInvalid(`"${shown({ text, kind })}" is not a value: write texts in quotation marks`);
}

function shown({ text }: Token): string {
  return text.slice(0, 40).replaceAll('"', "'");
}
