// Where the links of a Markdown file lead in the documentation.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PageEntry } from '../../../docs/contents.ts';

export type Target = { page: string; hash?: string } | { href: string } | { file: string };

export interface LinkOptions {
  root: string;
  entries: readonly PageEntry[];
  /** Ids of the headings of a Markdown file. */
  headings: (source: string) => ReadonlySet<string>;
}

/** @throws Error when the link leads nowhere */
export function targetOf(source: string, href: string, { root, entries, headings }: LinkOptions): Target {
  if (/^https?:\/\//.test(href)) return { href };
  const [path = '', hash] = href.split('#');
  const file = path === '' ? source : join(dirname(source), path).replace(/\/$/, '');
  const entry = entries.find((one) => one.source === file);
  if (!entry) {
    if (file.startsWith('..') || !existsSync(join(root, file))) throw new Error(`${source} links to ${href}, which does not exist`);
    return { file };
  }
  if (hash === undefined) return { page: entry.at };
  if (!headings(file).has(hash)) throw new Error(`${source} links to ${href}: ${file} has no such heading`);
  return { page: entry.at, hash };
}

/** As GitHub writes the ids of headings. */
export function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
