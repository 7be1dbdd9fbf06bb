// What of several sources is new, as one text. A source that fails is named, and the others still count.
import { createHash } from 'node:crypto';
import { itemsOf, type Item } from './feed.ts';
import type { WebhookTarget } from './deliver.ts';

export interface Source {
  name: string;
  url: string;
}

export interface Settings {
  title: string;
  sources: readonly Source[];
  /** Of the sources. */
  hosts: readonly string[];
  /** Only items whose titles have one of them; empty: all. */
  keywords: readonly string[];
  max_items: number;
  webhook: WebhookTarget | null;
}

export interface Listed extends Item {
  source: string;
}

export interface Gathered {
  items: Listed[];
  failed: { source: string; reason: string }[];
}

/** Newest first. @param read gives the text of a source, or throws */
export async function gather(sources: readonly Source[], read: (url: string) => Promise<string>): Promise<Gathered> {
  const gathered: Gathered = { items: [], failed: [] };
  await Promise.all(
    sources.map(async ({ name, url }) => {
      try {
        const items = itemsOf(await read(url));
        if (items) gathered.items.push(...items.map((item) => ({ ...item, source: name })));
        else gathered.failed.push({ source: name, reason: 'This is no feed: give the address of an RSS, Atom or JSON feed.' });
      } catch (error) {
        gathered.failed.push({ source: name, reason: error instanceof Error ? error.message : 'failed' });
      }
    }),
  );
  gathered.items.sort((a, b) => (b.date ?? '').localeCompare(a.date ?? '') || a.title.localeCompare(b.title));
  return gathered;
}

/** What is remembered of an item: short, whatever its feed says. */
export function keyOf({ id }: Pick<Item, 'id'>): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 32);
}

/** Those that fit, without those that are known, at most so many. @param known keys of items */
export function pick(items: readonly Listed[], { keywords, max_items }: Pick<Settings, 'keywords' | 'max_items'>, known: ReadonlySet<string>): Listed[] {
  const wanted = keywords.map((word) => word.toLowerCase());
  const seen = new Set(known);
  const picked: Listed[] = [];
  for (const item of items) {
    const fits = wanted.length === 0 || wanted.some((word) => item.title.toLowerCase().includes(word));
    if (!fits || seen.has(keyOf(item)) || picked.length >= max_items) continue;
    seen.add(keyOf(item));
    picked.push(item);
  }
  return picked;
}

export function textOf(title: string, items: readonly Listed[], failed: Gathered['failed']): string {
  const lines = items.map(({ title: what, url, source }) => `- ${what} (${source})${url === '' ? '' : ` ${url}`}`);
  const lost = failed.map(({ source, reason }) => `- ${source} could not be read: ${reason}`);
  return [title, ...(lines.length === 0 ? ['Nothing new.'] : lines), ...lost].join('\n');
}
