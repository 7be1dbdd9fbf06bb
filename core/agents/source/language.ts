// The language of an agent, from its project's files: no declaration names it.
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isVersionFile, type ReadVersionFile } from '#contract/wire/language-version.ts';
import type { BuildLanguage } from '#drivers/runtime/port.ts';
import { ByteReader } from './byte-reader.ts';
import { tarEntries } from './tar-entries.ts';

const scripts = ['.ts', '.mts', '.js', '.mjs'] as const;

/** Where the entry module may be, as messages name it. */
export function entryCandidates(entrypoint: string): string[] {
  const [module = ''] = entrypoint.split(':');
  if ([...scripts, '.py'].some((ending) => module.endsWith(ending))) return [module];
  const path = module.replaceAll('.', '/');
  return [...scripts.map((ending) => module + ending), `${path}.py`, `${path}/__init__.py`];
}

/**
 * Undefined when the project holds neither the entry module nor the sign of another language. `has` knows
 * paths from the project's top.
 */
export function languageOf(entrypoint: string, has: (path: string) => boolean): BuildLanguage | undefined {
  const entry = entryCandidates(entrypoint).find(has);
  if (entry?.endsWith('.py') === true) return 'python';
  if (entry !== undefined) return entry.endsWith('ts') ? 'typescript' : 'javascript';
  if (has('go.mod')) return 'go';
  return has('Cargo.toml') ? 'rust' : undefined;
}

interface SourceLanguage {
  language: BuildLanguage | undefined;
  /** Of the files that may name a version. */
  read: ReadVersionFile;
}

/** The same of a stored source, which was checked when it was taken in. */
export async function languageOfSource(source: Readable, entrypoint: string): Promise<SourceLanguage> {
  const paths = new Set<string>();
  const texts = new Map<string, string>();
  const plain = source.pipe(createGunzip());
  source.once('error', (error) => plain.destroy(error));
  try {
    for await (const entry of tarEntries(new ByteReader(plain))) {
      const path = entry.path.replace(/^(?:\.\/)+/, '');
      paths.add(path);
      const wanted = isVersionFile({ path, size: entry.size });
      const pieces: Buffer[] = [];
      for await (const piece of entry.body) if (wanted) pieces.push(piece);
      if (wanted) texts.set(path, Buffer.concat(pieces).toString());
    }
  } finally {
    source.destroy();
    plain.destroy();
  }
  return { language: languageOf(entrypoint, (path) => paths.has(path)), read: (name) => texts.get(name) };
}
