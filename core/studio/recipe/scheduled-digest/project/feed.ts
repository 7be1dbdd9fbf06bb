// What feeds say: RSS, Atom and JSON Feed, read without a parser of XML, since only a few elements matter.

export interface Item {
  /** Its address, else its title: by it an item is known again. */
  id: string;
  title: string;
  url: string;
  /** RFC 3339; null: the feed does not say. */
  date: string | null;
}

const MAX_ITEMS = 200;
const MAX_TITLE = 300;

/** Undefined: this is no feed. */
export function itemsOf(text: string): Item[] | undefined {
  const start = text.trimStart();
  if (start.startsWith('{')) return itemsOfJson(start);
  const name = /<entry[\s>]/.test(text) ? 'entry' : 'item';
  if (!/<(?:rss|feed|rdf:RDF|channel)[\s>]/.test(text)) return undefined;
  return blocksOf(text, name).flatMap((block) => {
    const title = elementOf(block, 'title');
    const url = webAddress(elementOf(block, 'link') || (/<link\b[^>]*\bhref\s*=\s*["']([^"']*)["']/.exec(block)?.[1] ?? ''));
    const date = dateOf(elementOf(block, 'pubDate') || elementOf(block, 'updated') || elementOf(block, 'published') || elementOf(block, 'dc:date'));
    const id = elementOf(block, 'guid') || elementOf(block, 'id') || url || title;
    return id === '' ? [] : [{ id: id.slice(0, 500), title: title || url, url, date }];
  });
}

function itemsOfJson(text: string): Item[] | undefined {
  const items = memberOf(parsed(text), 'items');
  if (!Array.isArray(items)) return undefined;
  return items.slice(0, MAX_ITEMS).flatMap((item: unknown) => {
    const text = (name: string): string => String(memberOf(item, name) ?? '').slice(0, 500);
    const url = webAddress(text('url'));
    const id = text('id') || url || text('title');
    return id === '' ? [] : [{ id, title: oneLine(text('title') || text('summary') || url), url, date: dateOf(text('date_published')) }];
  });
}

/** By position, not by one expression: a hostile feed costs no more than its length. */
function blocksOf(text: string, name: string): string[] {
  const blocks: string[] = [];
  for (let at = 0; blocks.length < MAX_ITEMS;) {
    const start = text.indexOf(`<${name}`, at);
    const end = start < 0 ? -1 : text.indexOf(`</${name}>`, start);
    if (end < 0) break;
    blocks.push(text.slice(start, Math.min(end, start + 50_000)));
    at = end + 1;
  }
  return blocks;
}

function elementOf(block: string, name: string): string {
  const open = block.search(new RegExp(`<${name}[\\s>]`));
  const from = open < 0 ? -1 : block.indexOf('>', open) + 1;
  const to = from <= 0 ? -1 : block.indexOf(`</${name}>`, from);
  return to < 0 ? '' : oneLine(decoded(block.slice(from, to)));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function decoded(text: string): string {
  const plain = text.replaceAll(/<!\[CDATA\[([\s\S]*?)\]\]>/g, '$1').replaceAll(/<[^>]{0,1000}>/g, ' ');
  return plain.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = Number(name[1] === 'x' || name[1] === 'X' ? `0${name.slice(1)}` : name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
  });
}

function oneLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_TITLE);
}

/** Empty for what no browser should open. */
function webAddress(address: string): string {
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? address : '';
}

function dateOf(text: string): string | null {
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}
