// `npm run lines [-- COMMIT]`: how much there is to read. Non-blank lines of production TypeScript: without
// tests, generated files, migrations, templates and recorded histories. With a commit, that state beside
// this.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);
const git = async (...args: string[]): Promise<string> => (await run('git', args, { cwd: root, maxBuffer: 1 << 28 })).stdout;

const LEFT_OUT = /\.test\.tsx?$|^test\/|\/test\/|^db\/(tables|keys)\.ts$|^db\/migrations\/|^contract\/client-routes\.ts$|\/templates\/|\/histories\//;
/** A comment is a line of its own. */
const COMMENT = /^\s*(?:\/\/|\/?\*)/;

interface Size {
  files: number;
  code: number;
  comments: number;
  /** More than a reader holds in mind. */
  long: string[];
}

const MOST = 400;

async function sizeOf(paths: readonly string[], folder: string): Promise<Map<string, Size>> {
  const areas = new Map<string, Size>();
  for (const path of paths.filter((path) => /\.tsx?$/.test(path) && !LEFT_OUT.test(path))) {
    const lines = (await readFile(join(folder, path), 'utf8')).split('\n').filter((line) => line.trim() !== '');
    const comments = lines.filter((line) => COMMENT.test(line)).length;
    const area = path.split('/')[0] ?? '';
    const size = areas.get(area) ?? { files: 0, code: 0, comments: 0, long: [] };
    const long = lines.length > MOST ? [...size.long, `${path} ${lines.length}`] : size.long;
    areas.set(area, { files: size.files + 1, code: size.code + lines.length - comments, comments: size.comments + comments, long });
  }
  return areas;
}

const totalOf = (sizes: Map<string, Size>): Size =>
  [...sizes.values()].reduce((sum, one) => ({
    files: sum.files + one.files,
    code: sum.code + one.code,
    comments: sum.comments + one.comments,
    long: [...sum.long, ...one.long],
  }));

async function ofCommit(commit: string): Promise<Map<string, Size>> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-lines-'));
  try {
    await git('archive', '--output', join(folder, 'tree.tar'), commit);
    await run('tar', ['-xf', join(folder, 'tree.tar'), '-C', folder]);
    return await sizeOf((await git('ls-tree', '-r', '--name-only', '-z', commit)).split('\0'), folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const [commit] = process.argv.slice(2);
const [tracked, deleted] = await Promise.all([git('ls-files', '-z'), git('ls-files', '-dz')]);
const gone = new Set(deleted.split('\0'));
const now = await sizeOf(
  tracked.split('\0').filter((path) => !gone.has(path)),
  root,
);
const before = commit === undefined ? undefined : await ofCommit(commit);
const line = (name: string, { files, code, comments }: Size, past?: Size): string =>
  `${name.padEnd(14)} ${String(files).padStart(6)} files ${String(code).padStart(8)} lines of code ${String(comments).padStart(7)} of comments${past ? `  ${(code / past.code).toFixed(3)} of ${past.code}` : ''}`;
for (const [area, size] of [...now].toSorted(([, a], [, b]) => b.code - a.code)) process.stdout.write(`${line(area, size, before?.get(area))}\n`);
const total = totalOf(now);
process.stdout.write(`${line('all', total, before && totalOf(before))}\n`);
process.stdout.write(`${total.long.length === 0 ? `No file is longer than ${MOST} lines.` : `Longer than ${MOST} lines: ${total.long.join(', ')}`}\n`);
