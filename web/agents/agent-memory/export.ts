// Records as files: JSON as they are, or a table with a column for each field of their values.
import type { Output } from '../../api/client.ts';
import { send } from '../../api/client.ts';

export type Entry = Output<'agentMemory', 'list'>['items'][number];

const PAGE = 200;

/** What the agent keeps for all whom it works for, page by page. */
export async function allShared(name: string, namespace: string | undefined): Promise<Entry[]> {
  const items: Entry[] = [];
  for (let cursor: string | undefined; ;) {
    const query = { shared: true, limit: PAGE, ...(namespace !== undefined && { namespace }), ...(cursor !== undefined && { cursor }) };
    const page = await send('agentMemory', 'list', { params: { name }, query });
    items.push(...page.items);
    if (page.next_cursor === null) return items;
    cursor = page.next_cursor;
  }
}

const OWN = ['namespace', 'key', 'created_at', 'updated_at'] as const;

/** RFC 4180. Whole values that are no objects are in the column `value`. */
export function csvOf(entries: readonly Pick<Entry, (typeof OWN)[number] | 'value'>[]): string {
  const rows = entries.map((entry) => ({ entry, fields: fieldsOf(entry.value) }));
  const names = [...new Set(rows.flatMap(({ fields }) => [...fields.keys()]))];
  const head = [...OWN, ...names.map((field) => ((OWN as readonly string[]).includes(field) ? `value.${field}` : field))];
  const lines = [head, ...rows.map(({ entry, fields }) => [...OWN.map((own) => entry[own]), ...names.map((field) => fields.get(field))])];
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}

function fieldsOf(value: unknown): Map<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return new Map(isObject ? Object.entries(value) : [['value', value]]);
}

/** Strangers may have written it: what a spreadsheet takes for a formula becomes text. */
function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const inert = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
