// What a file of the repository uses: what it imports, and the files and folders that it names (programs that
// it starts, data that it reads).
import { dirname, join, normalize } from 'node:path';
// The parser of the formatter and the bundler we use; it lists a module's imports, types apart, and reads
// TypeScript, which es-module-lexer does not.
import { parseSync } from 'oxc-parser';

/** Paths from the root of the repository; whether they exist is not asked here. */
export interface Uses {
  imports: string[];
  names: string[];
}

const CODE = /\.(?:[cm]?ts|tsx|[cm]?js)$/;
/** Lines of comments, for what no pattern below finds: "starts: host/main.ts sdk/python/", "reads: docs/". */
const DECLARED = /^\s*(?:\/\/|\*|#) (?:starts|reads): (.+)$/gm;
const BESIDE = /(?:new URL\(\s*|import\.meta\.dirname,\s*)(['"`])([^'"`$]+)\1/g;
const PATH = /(['"`])(\w[\w.-]*(?:\/[\w.-]+)*\/[\w.-]+\.\w+|(?:examples|docs|sdk|web|test|host|cli)\/[\w./-]+)\1/g;

export function usesOf(file: string, text: string): Uses {
  const from = dirname(file);
  const names = [...text.matchAll(DECLARED)].flatMap(([, list = '']) => list.split(/[\s,]+/)).filter((path) => path !== '');
  if (!CODE.test(file)) return { imports: [], names };
  for (const [, , path = ''] of text.matchAll(BESIDE)) if (!isAbsolute(path)) names.push(join(from, path));
  // In the product's own sources a path is more often text for people than a file that is read.
  if (isOfTests(file)) for (const [, , path = ''] of text.matchAll(PATH)) names.push(path);
  const { module } = parseSync(file, text, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  const requests: string[] = [];
  for (const { moduleRequest, entries } of module.staticImports) if (!isTypes(entries)) requests.push(moduleRequest.value);
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) if (moduleRequest && !isType) requests.push(moduleRequest.value);
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const [, , path] = /^(['"])(.+)\1$/.exec(text.slice(moduleRequest.start, moduleRequest.end)) ?? [];
    if (path !== undefined) requests.push(path);
  }
  return { imports: unique(requests.flatMap((request) => inRepository(from, request))), names: unique(names.map(plain)) };
}

/** An import of only packages is none of ours. */
function inRepository(from: string, request: string): string[] {
  const path = request.replace(/\?.*$/, '');
  if (path.startsWith('.')) return [join(from, path)];
  if (path.startsWith('#')) return [path.slice(1)];
  if (path === '@svc/sdk') return ['sdk/typescript/index.ts'];
  if (path.startsWith('@svc/sdk/')) return [`sdk/typescript/${path.slice('@svc/sdk/'.length)}.ts`];
  return path === '@svc/client' ? ['sdk/client'] : [];
}

const isOfTests = (file: string): boolean => /^test\/|\/test\/|\.test\.tsx?$/.test(file);
const isTypes = (entries: readonly { isType: boolean }[]): boolean => entries.length > 0 && entries.every((entry) => entry.isType);
const isAbsolute = (path: string): boolean => /^(?:[a-z]+:|\/)/.test(path);
const plain = (path: string): string => normalize(path).replace(/\/$/, '');
const unique = (paths: string[]): string[] => [...new Set(paths)];
