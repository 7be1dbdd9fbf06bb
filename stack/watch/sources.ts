// The source files that a program is made of, and whether they can be read as TypeScript at all.
import { dirname, join } from 'node:path';
import { context, formatMessages } from 'esbuild'; // the bundler that is here anyway: it follows imports as Node does, in a second

export interface Sources {
  /**
   * Reads the program again. Rejects with what is wrong and where; what was read before still counts then.
   */
  read(): Promise<void>;
  /** Folders with files of the program. */
  folders(): ReadonlySet<string>;
  /** Whether a change of the file changes the program. Threads and data stand beside what loads them. */
  has(file: string): boolean;
  close(): Promise<void>;
}

/** @param entries paths from `root` */
export async function openSources(root: string, entries: readonly string[]): Promise<Sources> {
  const build = await context({
    absWorkingDir: root,
    entryPoints: [...entries],
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    outdir: '.',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  let folders = new Set<string>();
  return {
    async read() {
      const { metafile } = await build.rebuild().catch(async (error: unknown) => Promise.reject(new Error(await inWords(error))));
      folders = new Set(Object.keys(metafile?.inputs ?? {}).map((file) => dirname(join(root, file))));
    },
    folders: () => folders,
    has: (file) => folders.has(dirname(file)) && isSource(file),
    close: () => build.dispose(),
  };
}

/** Not a test, and not what an editor writes beside a file. */
function isSource(file: string): boolean {
  return /\.(ts|tsx|mjs|js|json|wasm)$/.test(file) && !/\.test\.tsx?$/.test(file);
}

async function inWords(error: unknown): Promise<string> {
  if (!(error instanceof Error) || !('errors' in error)) return String(error);
  // Safe: an error of esbuild has its messages.
  const messages = error.errors as Parameters<typeof formatMessages>[0];
  return (await formatMessages(messages, { kind: 'error', color: process.stdout.isTTY })).join('').trimEnd();
}
