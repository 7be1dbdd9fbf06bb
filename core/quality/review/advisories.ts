// Known advisories, from a file of OSV records (https://ossf.github.io/osv-schema/) that the operator keeps
// on the machine: one JSON array, or one record a line.
import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import type { LockedPackage } from './locked.ts';
import { compareVersions } from './versions.ts';

const Event = z.object({ introduced: z.string().optional(), fixed: z.string().optional(), last_affected: z.string().optional() });
const Record = z.object({
  id: z.string().max(100),
  aliases: z.array(z.string()).optional(),
  withdrawn: z.string().optional(),
  summary: z.string().optional(),
  affected: z.array(
    z.object({
      package: z.object({ ecosystem: z.string(), name: z.string() }).optional(),
      ranges: z.array(z.object({ type: z.string(), events: z.array(Event) })).optional(),
      versions: z.array(z.string()).optional(),
    }),
  ),
  database_specific: z.object({ severity: z.string().optional() }).optional(),
});
type Record = z.infer<typeof Record>;

interface Advisory {
  id: string;
  summary: string;
  /** The first version without the fault; undefined: none. */
  fixed: string | undefined;
  severe: boolean;
}

export interface Advisories {
  of(one: Pick<LockedPackage, 'ecosystem' | 'name' | 'version'>): Advisory[];
}

const maxBytes = 512 * 1024 * 1024;
let read: { key: string; advisories: Promise<Advisories> } | undefined;

/** Read once for each state of the file. @throws where it cannot be read, or is too large */
export async function openAdvisories(file: string): Promise<Advisories> {
  const { size, mtimeMs } = await stat(file);
  if (size > maxBytes) throw new Error(`${file} is larger than ${maxBytes} bytes: keep only the records of npm, PyPI, crates.io and Go`);
  const key = `${file} ${size} ${mtimeMs}`;
  if (read?.key !== key) read = { key, advisories: readFile(file, 'utf8').then(advisoriesOf) };
  return read.advisories;
}

/** Of the text of such a file; what is no record is left out. */
export function advisoriesOf(text: string): Advisories {
  const known = new Map<string, { record: Record; affected: Record['affected'][number] }[]>();
  for (const value of valuesOf(text)) {
    const parsed = Record.safeParse(value);
    if (!parsed.success || parsed.data.withdrawn !== undefined) continue;
    for (const affected of parsed.data.affected) {
      if (!affected.package) continue;
      const key = keyOf(affected.package.ecosystem, affected.package.name);
      known.set(key, [...(known.get(key) ?? []), { record: parsed.data, affected }]);
    }
  }
  return {
    of: ({ ecosystem, name, version }) =>
      (known.get(keyOf(ecosystem, name)) ?? []).flatMap(({ record, affected }) => {
        const range = rangeOf(affected, version);
        if (!range) return [];
        const severe = /^(?:HIGH|CRITICAL)$/i.test(record.database_specific?.severity ?? '');
        return [
          {
            id: record.aliases?.find((alias) => alias.startsWith('CVE-')) ?? record.id,
            summary: (record.summary ?? '').slice(0, 200),
            fixed: range.fixed,
            severe,
          },
        ];
      }),
  };
}

function valuesOf(text: string): unknown[] {
  if (text.trimStart().startsWith('[')) {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      return line.trim() === '' ? [] : [JSON.parse(line) as unknown];
    } catch {
      return [];
    }
  });
}

const keyOf = (ecosystem: string, name: string): string => `${ecosystem} ${ecosystem === 'PyPI' ? name.toLowerCase().replaceAll(/[._]/g, '-') : name}`;

/**
 * Undefined: the version is not affected. Events of a range are sorted as the format demands: introduced,
 * fixed, introduced …
 */
function rangeOf({ ranges = [], versions = [] }: Record['affected'][number], version: string): { fixed: string | undefined } | undefined {
  for (const { type, events } of ranges) {
    if (type === 'GIT') continue;
    let since: string | undefined;
    for (const { introduced, fixed, last_affected } of events) {
      if (introduced !== undefined) since = introduced;
      const [end, inside] = fixed === undefined ? [last_affected, true] : [fixed, false];
      if (end === undefined || since === undefined) continue;
      const below = compareVersions(version, end);
      if (atLeast(version, since) && (below < 0 || (inside && below === 0))) return { fixed };
      since = undefined;
    }
    if (since !== undefined && atLeast(version, since)) return { fixed: undefined };
  }
  return versions.includes(version) ? { fixed: undefined } : undefined;
}

const atLeast = (version: string, since: string): boolean => since === '0' || compareVersions(version, since) >= 0;
