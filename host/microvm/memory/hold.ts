// Templates' memory kept where many clones map it copy-on-write: one small process per template holds it,
// sealed against every change.
import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cached, hashOf } from '../images/cache.ts';
import { MicroVmError, run } from '../images/tools.ts';

export interface Holders {
  /** A path to the memory of that file, for as long as this process lives or until it is released. */
  path(file: string): Promise<string>;
  /** Frees it; machines that have mapped it keep it. */
  release(file: string): void;
}

interface MemoryHolder {
  stamp: string;
  path: Promise<string>;
  child?: ChildProcess;
}

const source = new URL('hold.c', import.meta.url).pathname;

async function program(cacheDir: string): Promise<string> {
  const text = await readFile(source);
  return cached(join(cacheDir, 'microvm'), `hold-${hashOf(text)}`, async (path) => {
    await run('gcc', ['-static', '-O2', '-s', '-o', path, source]);
  });
}

export function createHolders(cacheDir: string): Holders {
  const holders = new Map<string, MemoryHolder>();
  const release = (file: string): void => {
    holders.get(file)?.child?.kill('SIGKILL');
    holders.delete(file);
  };
  async function hold(file: string, entry: MemoryHolder): Promise<string> {
    const command = await program(cacheDir);
    const memory = await open(file, 'r');
    try {
      // Descriptor 3 ends with this process, and the holder with it.
      const child = spawn(command, [], { stdio: [memory.fd, 'pipe', 'pipe', 'pipe'], env: {} });
      entry.child = child;
      const path = await answer(child);
      child.once('exit', () => holders.get(file) === entry && holders.delete(file));
      child.unref();
      for (const stream of child.stdio) if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
      return path;
    } finally {
      await memory.close();
    }
  }
  return {
    async path(file) {
      const { ino, mtimeMs } = await stat(file);
      const stamp = `${ino}:${mtimeMs}`;
      const already = holders.get(file);
      if (already?.stamp === stamp) return already.path;
      if (already !== undefined) release(file);
      const entry: MemoryHolder = { stamp, path: Promise.resolve('') };
      entry.path = hold(file, entry);
      entry.path.catch(() => holders.get(file) === entry && release(file));
      holders.set(file, entry);
      return entry.path;
    },
    release,
  };
}

function answer(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    let words = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('\n')) resolve(`/proc/${child.pid}/fd/${Number(output)}`);
    });
    child.stderr?.on('data', (chunk: Buffer) => (words = (words + chunk.toString()).slice(-500)));
    child.once('error', (cause) => reject(new MicroVmError('restore_failed', `The template's memory could not be held: ${cause.message}`, { cause })));
    child.once('exit', (code) => reject(new MicroVmError('restore_failed', `The template's memory could not be held (${code}): ${words.trim()}`)));
  });
}
