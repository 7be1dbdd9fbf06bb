// Mantine's style sheet is one for all its components, most of which no page uses: of its rules those stay
// whose classes the modules name that our sources import, directly or through each other.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';

const WEB = join(import.meta.dirname, '..');
const SHEET = /\/@mantine\/core\/styles\.css$/;
/** Mantine's own classes: m_ and a hash. */
const CLASS = /\bm_[0-9a-f]{4,}\b/g;

export function usedStyles(): Plugin {
  return {
    name: 'svc:used-styles',
    apply: 'build',
    enforce: 'pre',
    transform: (css, id) => (SHEET.test(id) ? without(css, usedClasses(dirname(id))) : undefined),
  };
}

/** @param library the folder of @mantine/core */
function usedClasses(library: string): Set<string> {
  const seen = new Set<string>();
  const used = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file) || !existsSync(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    for (const name of text.match(CLASS) ?? []) used.add(name);
    for (const [, path = ''] of text.matchAll(/from "(\.[^"]+\.mjs)"/g)) visit(join(dirname(file), path));
  };
  const index = readFileSync(join(library, 'esm/index.mjs'), 'utf8');
  const files = new Map(
    [...index.matchAll(/^import \{([^}]+)\} from "([^"]+)";/gm)].flatMap(([, names = '', path = '']) => names.split(',').map((name) => [nameIn(name), path])),
  );
  for (const name of importedNames()) {
    const path = files.get(name);
    // A type has none.
    if (path !== undefined) visit(join(library, 'esm', path));
  }
  return used;
}

/** What our sources take from @mantine/core. */
function importedNames(): Set<string> {
  const sources = readdirSync(WEB, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const lists = sources.flatMap((file) => [...readFileSync(join(WEB, file), 'utf8').matchAll(/import \{([^}]+)\} from '@mantine\/core'/g)]);
  return new Set(lists.flatMap(([, names = '']) => names.split(',').map(nameIn)));
}

/** "X as Y" and "type X" are X. */
const nameIn = (text: string): string =>
  text
    .trim()
    .replace(/^type\s+/, '')
    .split(' ')[0] ?? '';

/** @param css rules, some in blocks such as @media */
export function without(css: string, used: ReadonlySet<string>): string {
  let out = '';
  let at = 0;
  const text = css.replaceAll(/\/\*[\s\S]*?\*\//g, '');
  while (at < text.length) {
    const open = text.indexOf('{', at);
    if (open === -1) return out + text.slice(at);
    const close = endOf(text, open);
    const head = text.slice(at, open);
    const body = text.slice(open + 1, close);
    at = close + 1;
    if (head.trimStart().startsWith('@')) {
      const inner = /@(?:media|supports|layer)\b/.test(head) ? without(body, used) : body;
      if (inner.trim() !== '') out += `${head}{${inner}}`;
      continue;
    }
    const selectors = listed(head).filter((selector) => isUsed(selector, used));
    if (selectors.length > 0) out += `${selectors.join(',')}{${body}}`;
  }
  return out;
}

function endOf(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error('a block of the style sheet does not end');
}

/** At the commas outside of brackets. */
const listed = (head: string): string[] => head.split(/,(?![^(]*\))/);

/** What stands in brackets says when, or when not, and names others beside those that have it. */
function isUsed(selector: string, used: ReadonlySet<string>): boolean {
  const names = selector.replaceAll(/\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '').match(CLASS) ?? [];
  return names.every((name) => used.has(name));
}
