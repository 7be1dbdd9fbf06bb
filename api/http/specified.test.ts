// What clients see of the routes that the specification names, but for words: it changes by intent only. A
// change that is meant: vitest -u, and a line in the changelog.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { contract } from '#contract/index.ts';
import { openApiDocument } from './openapi.ts';

const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ operationId: z.string() }))),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});
const { paths, components } = Document.parse(openApiDocument(contract, 'http://localhost:8080', 'specification'));

const WORDS = new Set(['summary', 'description', 'tags', 'x-svc-origin']);
/** Their members are names that somebody chose. */
const NAMES = new Set(['properties', 'patternProperties']);

/** Without words, in one order, each reference with what it refers to. */
function plain(value: unknown, open: readonly string[] = [], areNames = false): unknown {
  if (Array.isArray(value)) return value.map((one) => plain(one, open));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([key]) => areNames || !WORDS.has(key));
  const shown = members.map(([key, member]) => [key, key === '$ref' ? referred(String(member), open) : plain(member, open, !areNames && NAMES.has(key))]);
  return Object.fromEntries(shown.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}

function referred(ref: string, open: readonly string[]): unknown {
  const name = ref.split('/').at(-1) ?? '';
  return open.includes(name) ? ref : plain(components.schemas[name], [...open, name]);
}

test('no operation that the specification names has changed for its clients', async () => {
  const lines = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const hash = createHash('sha256')
        .update(JSON.stringify(plain(operation)))
        .digest('hex')
        .slice(0, 16);
      return `${operation.operationId} ${method.toUpperCase()} ${path} ${hash}\n`;
    }),
  );
  expect(lines).toHaveLength(321);
  await expect(lines.toSorted().join('')).toMatchFileSnapshot('./test/specified-operations.txt');
});
