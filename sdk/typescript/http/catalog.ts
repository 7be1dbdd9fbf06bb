// All operations of an API, found by words and by name.
import type { HttpOperation } from '../../../contract/wire/http-operation.ts';
import { SkillInputError } from '../authoring/errors.ts';
import type { JsonSchema } from '../authoring/schema.ts';

export interface ListedOperation extends HttpOperation {
  name: string;
  description?: string;
  tags?: readonly string[];
  input?: JsonSchema;
  output?: JsonSchema;
}

export interface CatalogFile {
  operations: readonly ListedOperation[];
  schemas: Readonly<Record<string, JsonSchema>>;
  results: Readonly<Record<string, JsonSchema>>;
}

interface Entry {
  operation: ListedOperation;
  /** Words of name and address, which weigh more than those of the description. */
  strong: ReadonlySet<string>;
  weak: ReadonlySet<string>;
}

export class Catalog {
  readonly schemas: CatalogFile['schemas'];
  readonly results: CatalogFile['results'];
  readonly #byName: ReadonlyMap<string, Entry>;

  constructor(file: CatalogFile) {
    this.schemas = file.schemas;
    this.results = file.results;
    this.#byName = new Map(
      file.operations.map((operation) => {
        const strong = new Set(wordsOf(`${operation.name} ${operation.at} ${(operation.tags ?? []).join(' ')}`));
        return [operation.name, { operation, strong, weak: new Set(wordsOf(operation.description ?? '')) }];
      }),
    );
  }

  /** Without words that most operations have, as "a": they tell none from another. */
  #telling(words: readonly string[]): readonly string[] {
    const entries = [...this.#byName.values()];
    const rare = words.filter((word) => entries.filter(({ strong, weak }) => strong.has(word) || weak.has(word)).length <= entries.length / 3);
    return rare.length > 0 ? rare : words;
  }

  /** @throws SkillInputError */
  get(name: string): ListedOperation {
    const entry = this.#byName.get(name);
    if (entry) return entry.operation;
    const message = `there is no operation "${name.slice(0, 80)}": search for it`;
    throw new SkillInputError(message, [{ path: ['operation'], code: 'custom', message }]);
  }

  summary({ name, at, description, tags }: ListedOperation): object {
    return { name, at, ...(description !== undefined && { description: description.slice(0, 200) }), ...(tags && { tags }) };
  }

  search(args: Readonly<Record<string, unknown>>): { total: number; operations: object[] } {
    const { query = '', tag, limit = 10 } = args;
    const words = this.#telling(wordsOf(String(query)));
    const fits = [...this.#byName.values()].filter(({ operation }) => tag === undefined || operation.tags?.includes(String(tag)));
    const scored = fits.map((entry) => ({ entry, score: scoreOf(entry, words) })).filter(({ score }) => words.length === 0 || score > 0);
    scored.sort((a, b) => b.score - a.score || (a.entry.operation.name < b.entry.operation.name ? -1 : 1));
    return { total: scored.length, operations: scored.slice(0, Number(limit)).map(({ entry }) => this.summary(entry.operation)) };
  }
}

/** Of two equal ones the shorter name is the plainer. */
function scoreOf({ strong, weak, operation }: Entry, words: readonly string[]): number {
  let score = 0;
  for (const word of words) score += strong.has(word) ? 3 : weak.has(word) ? 1 : has(strong, word) ? 1 : 0;
  return score === 0 ? 0 : score + 1 / (10 + operation.at.length);
}

function has(words: ReadonlySet<string>, start: string): boolean {
  return start.length > 2 && [...words].some((word) => word.startsWith(start));
}

function wordsOf(text: string): string[] {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => (word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word));
}
