// Twelve lines that stand in two places are one piece of code that should be in one. What only looks alike,
// such as declarations with other names, is not counted; neither are examples, which are read one by one.
import { glob, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const WINDOW = 12;
const LEFT_OUT =
  /(^|\/)(node_modules|dist|templates|histories|project)\/|^\.|^examples\/|^test\/outside-cases\/data\/|^db\/(tables|keys|releases)|^db\/migrations\//;
/** A line that says nothing alone: brackets, an import, a comment. */
const THIN = /^[\s{}()[\];,]*$|^import\b|^\s*(\/\/|\/?\*)|^} from /;

test(`no ${WINDOW} lines are written twice`, async () => {
  const paths: string[] = [];
  for await (const path of glob('**/*.{ts,tsx,css,py}', { cwd: root, exclude: (path) => LEFT_OUT.test(`${path}/`) }))
    if (!LEFT_OUT.test(path)) paths.push(path);
  const texts = await Promise.all(paths.toSorted().map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const));
  const numbers = new Map<string, number>();
  const numberOf = (line: string): number => numbers.get(line) ?? numbers.set(line, numbers.size + 1).size;
  const places = new Map<string, { path: string; at: number }>();
  const twins = new Map<string, string>();
  for (const [path, text] of texts) {
    const lines = text.split('\n').flatMap((line, at) => (THIN.test(line) ? [] : [{ number: numberOf(line.trim()), at: at + 1 }]));
    for (let from = 0; from + WINDOW <= lines.length; from += 1) {
      let key = extname(path);
      for (let n = from; n < from + WINDOW; n += 1) key += `,${lines[n]?.number}`;
      const first = places.get(key);
      const at = lines[from]?.at ?? 0;
      if (first === undefined) places.set(key, { path, at });
      else if (!twins.has(`${first.path} ${path}`)) twins.set(`${first.path} ${path}`, `${first.path}:${first.at} and ${path}:${at}`);
    }
  }
  expect(paths.length).toBeGreaterThan(3000);
  expect([...twins.values()]).toEqual([]);
});
