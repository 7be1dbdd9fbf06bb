// How an HTTP service is recognised: a program in one of the languages we build, beside an OpenAPI
// description.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from './adopt.ts';

const FOLDERS = ['', 'docs/', 'api/'];
export const DESCRIPTIONS = ['openapi.yaml', 'openapi.yml', 'openapi.json'] as const;
/** Where Python services begin, the likeliest first. */
const STARTS = ['main.py', 'app.py', 'server.py', 'run.py', 'wsgi.py'];

export interface AuthorService {
  language: 'python' | 'go' | 'rust';
  entrypoint: string;
  /** Relative to the project. */
  openapi: string;
}

export function serviceIn(folder: string, sources: readonly Source[]): AuthorService | undefined {
  const has = (path: string): boolean => existsSync(join(folder, path));
  const openapi = FOLDERS.flatMap((at) => DESCRIPTIONS.map((name) => at + name)).find(has);
  if (openapi === undefined) return undefined;
  if (has('go.mod')) return { language: 'go', entrypoint: 'main:main', openapi };
  if (has('Cargo.toml')) return { language: 'rust', entrypoint: 'main:main', openapi };
  const starts = sources.filter(({ file, text }) => file.endsWith('.py') && /^if __name__ == ['"]__main__['"]/m.test(text)).map(({ file }) => file);
  const start = STARTS.find((file) => starts.includes(file)) ?? starts[0] ?? STARTS.find(has);
  return start === undefined ? undefined : { language: 'python', entrypoint: `${start.replace(/\.py$/, '').replaceAll('/', '.')}:main`, openapi };
}
