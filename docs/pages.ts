// The pages: their samples come from tested files. `node docs/pages.ts` writes the samples into the pages
// again; docs/pages.test.ts compares them.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tableOf } from './callers.ts';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
/**
 * `<!-- sample: docs/samples/…#region -->`, a code block, `<!-- end of sample -->`. `@name` in place of a
 * region: a function of Go or Rust. Without either: the whole file.
 */
const SAMPLE = /<!-- sample: (\S+?)((?:#|@)[\w-]+)? -->\n```(\w*)\n[\s\S]*?```\n<!-- end of sample -->/g;

/** Paths of README.md and of all pages below docs/, from the root. */
export function pages(): string[] {
  return ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT, exclude: ['**/node_modules/**'] }).toSorted()];
}

export function readPage(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** `<!-- table: NAME -->`, a table of docs/callers.ts, `<!-- end of table -->`. */
const TABLE = /<!-- table: (\w+) -->\n[\s\S]*?<!-- end of table -->/g;

/** The page with every sample and table as its file has it now. */
export function withSamples(page: string, read: (path: string) => string = readPage): string {
  const withTables = page.replace(TABLE, (_whole, name: string) => `<!-- table: ${name} -->\n\n${tableOf(name)}\n\n<!-- end of table -->`);
  return withTables.replace(SAMPLE, (_whole, path: string, part: string | undefined, language: string) => {
    const text = partOf(path, read(path), part);
    return `<!-- sample: ${path}${part ?? ''} -->\n\`\`\`${language}\n${text}\n\`\`\`\n<!-- end of sample -->`;
  });
}

function partOf(path: string, text: string, part: string | undefined): string {
  if (part === undefined) return text.trimEnd();
  return part.startsWith('@') ? functionOf(path, text, part.slice(1)) : regionOf(path, text, part.slice(1));
}

/** `path#region` of every sample of a page. */
export function samplesOf(page: string): string[] {
  return [...page.matchAll(SAMPLE)].map(([, path = '', part = '']) => `${path}${part}`);
}

/** Names of the regions in a file: `// region NAME` or `# region NAME`, up to the next `endregion`. */
export function regionsOf(text: string): string[] {
  return [...text.matchAll(/^\s*(?:\/\/|#) region ([\w-]+)$/gm)].map(([, name = '']) => name);
}

/** @throws Error when the file has no such region */
export function regionOf(path: string, text: string, name: string): string {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => new RegExp(`^\\s*(?://|#) region ${name}$`).test(line));
  const length = lines.slice(from + 1).findIndex((line) => /^\s*(?:\/\/|#) endregion$/.test(line));
  if (from < 0 || length < 0) throw new Error(`${path} has no region ${name}`);
  const regionLines = lines.slice(from + 1, from + 1 + length);
  const indent = Math.min(...regionLines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length));
  return regionLines
    .map((line) => line.slice(indent).trimEnd())
    .join('\n')
    .trim();
}

/** With the comment above it. @throws Error when the file has no such function */
export function functionOf(path: string, text: string, name: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => new RegExp(`^(?:func (?:\\([^)]*\\) )?|fn )${name}\\b`).test(line));
  const length = lines.slice(at).indexOf('}');
  if (at < 0 || length < 0) throw new Error(`${path} has no function ${name}`);
  let from = at;
  while (lines[from - 1]?.startsWith('//')) from -= 1;
  return lines.slice(from, at + length + 1).join('\n');
}

/** Relative links of a page, from the root: path and fragment. */
export function linksOf(path: string, page: string): { path: string; fragment: string | undefined }[] {
  const prose = page.replace(/```[\s\S]*?```/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [file = '', fragment] = target.split('#');
    return [{ path: file === '' ? path : join(dirname(path), file), fragment }];
  });
}

/** Fragments of a page's headings, as GitHub writes them. */
export function headingsOf(page: string): string[] {
  const seen = new Map<string, number>();
  return [...page.replace(/```[\s\S]*?```/g, '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => {
    const id = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(id) ?? 0;
    seen.set(id, before + 1);
    return before === 0 ? id : `${id}-${before}`;
  });
}

/** Command lines after a program's name, in code blocks and between backticks. */
export function commandsOf(page: string, program: string): string[] {
  const shell = [...page.matchAll(/```(?:sh|console)\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.split('\n'));
  const inline = [...page.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...shell, ...inline].flatMap((text) => {
    const line = text.replace(/^\$ /, '').replace(/\s+#.*$/, '');
    return line.split(/ && | \| /).flatMap((one) => (one.startsWith(`${program} `) ? [one.slice(program.length + 1).trim()] : []));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Of the command line itself, which pages of code do not need.
  const { commandPages } = await import('./commands.ts');
  const { DATA_MODEL, dataModel } = await import('./data-model.ts');
  mkdirSync(join(ROOT, 'docs/cli'), { recursive: true });
  for (const [path, page] of await commandPages()) writeFileSync(join(ROOT, path), page);
  writeFileSync(join(ROOT, DATA_MODEL), dataModel(ROOT));
  for (const path of pages()) {
    const page = readPage(path);
    const written = withSamples(page);
    if (written !== page) writeFileSync(join(ROOT, path), written);
  }
}
