// What a browser loads, packed: before the first page can be used, and for each further page.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { PageFiles } from '#api/http/page-files.ts';
import { builtDashboard } from './built.ts';

const KIB = 1024;
const BUDGET = { script: 190 * KIB, style: 40 * KIB, page: 60 * KIB };
/** Loaded when a graph, an editor or a chart is opened, or the documentation is searched. */
const APART = /codemirror|@lezer|uplot|request-schemas|json-editor|\/graph\.tsx|source\/(?:file|conflict)\.tsx|rules\/rule-editor\.tsx|diff|chart|docs-search/i;

const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    isEntry: z.boolean().optional(),
    isDynamicEntry: z.boolean().optional(),
    imports: z.array(z.string()).optional(),
    css: z.array(z.string()).optional(),
  }),
);

let folder: string;
let chunks: z.infer<typeof Manifest>;
/** The first script, and what is loaded with every page. */
let entries: string[];
beforeAll(async () => {
  folder = await builtDashboard();
  chunks = Manifest.parse(JSON.parse(await readFile(join(folder, '.vite/manifest.json'), 'utf8')));
  entries = Object.keys(chunks).filter((name) => chunks[name]?.isEntry || name.startsWith('_common-'));
});

const packed = async (file: string): Promise<number> => (await stat(join(folder, `${file}.gz`))).size;
const sum = (sizes: number[]): number => sizes.reduce((all, one) => all + one, 0);

/** The chunk and all that it imports at once. */
function withImports(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const other of chunks[name]?.imports ?? []) withImports(other, seen);
  return seen;
}

const atFirst = (): Set<string> => new Set(entries.flatMap((name) => [...withImports(name)]));

test('the first page can be used after 190 KiB of script and 40 KiB of style', async () => {
  const names = [...atFirst()];
  const script = sum(await Promise.all(names.map((name) => packed(chunks[name]?.file ?? ''))));
  const style = sum(await Promise.all(names.flatMap((name) => chunks[name]?.css ?? []).map(packed)));
  expect.soft(script, `${Math.round(script / KIB)} KiB of script`).toBeLessThanOrEqual(BUDGET.script);
  expect.soft(style, `${Math.round(style / KIB)} KiB of style`).toBeLessThanOrEqual(BUDGET.style);
});

test('no further page takes more than 60 KiB', async () => {
  const first = atFirst();
  const pages = Object.keys(chunks).filter((name) => chunks[name]?.isDynamicEntry && !APART.test(name));
  expect(pages.length).toBeGreaterThan(1);
  const sizes = await Promise.all(
    pages.map(async (page): Promise<[string, number]> => {
      const all = [...withImports(page)];
      // A tab that takes something of its page is opened there: the page is loaded already.
      const around = all.filter((name) => name !== page && chunks[name]?.isDynamicEntry).flatMap((name) => [...withImports(name)]);
      const own = all.filter((name) => !first.has(name) && !around.includes(name));
      const files = own.flatMap((name) => [chunks[name]?.file ?? '', ...(chunks[name]?.css ?? [])]);
      return [page, sum(await Promise.all(files.map(packed)))];
    }),
  );
  const tooLarge = sizes.filter(([, size]) => size > BUDGET.page).map(([page, size]) => `${page}: ${Math.round(size / KIB)} KiB`);
  expect(tooLarge).toEqual([]);
});

test('a style is named after those of the files that its own file imports: of two for one element the later one counts', async () => {
  const { all, pages } = PageFiles.parse(JSON.parse(await readFile(join(folder, 'pages.json'), 'utf8')));
  const wrong: string[] = [];
  for (const { path, styles } of [{ path: '', styles: [] }, ...pages]) {
    const named = [...all.styles, ...styles];
    for (const [name, { css: own = [] }] of Object.entries(chunks).filter(([, chunk]) => chunk.css?.some((style) => named.includes(style)))) {
      const before = [...withImports(name)].filter((other) => other !== name).flatMap((other) => chunks[other]?.css ?? []);
      for (const style of own) wrong.push(...before.filter((one) => named.indexOf(one) > named.indexOf(style)).map((one) => `${path}: ${one} after ${style}`));
    }
  }
  expect(wrong).toEqual([]);
});

test('the licences of what browsers get come along, and NOTICE names each package', async () => {
  const [texts, notice] = await Promise.all([readFile(join(folder, 'licenses.md'), 'utf8'), readFile(join(import.meta.dirname, '../../NOTICE'), 'utf8')]);
  const bundled = [...texts.matchAll(/^## (\S+) - (\S+) \(/gm)].map(([, name = '', version = '']) => `- ${name} ${version} (`);
  expect(bundled).toContainEqual(expect.stringMatching(/^- react \d/));
  expect(bundled.filter((line) => !notice.includes(`\n${line}`))).toEqual([]);
});
