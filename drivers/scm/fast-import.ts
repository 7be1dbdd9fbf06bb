// A folder as a git fast-import stream: one commit whose whole tree is that folder.
import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ScmError } from './names.ts';

export interface CommitPlan {
  folder: string;
  ref: string;
  /** The commit this one follows; absent for the first. */
  parent: string | undefined;
  message: string;
  author: { name: string; email: string };
}

/** Ends with the command that prints the commit's id; without `done` at the end git commits nothing. */
export async function* commitStream(plan: CommitPlan): AsyncGenerator<Buffer> {
  const who = `${plain(plan.author.name) || 'unknown'} <${plain(plan.author.email)}> now`;
  const message = Buffer.from(plan.message);
  yield Buffer.from(`feature done\ncommit ${plan.ref}\nmark :1\nauthor ${who}\ncommitter ${who}\ndata ${message.length}\n`);
  yield message;
  yield Buffer.from(`\n${plan.parent === undefined ? '' : `from ${plan.parent}\n`}deleteall\n`);
  yield* folderStream(plan.folder, '');
  yield Buffer.from('get-mark :1\ndone\n');
}

async function* folderStream(root: string, below: string): AsyncGenerator<Buffer> {
  for (const name of (await readdir(join(root, below))).sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    if (name.toLowerCase() === '.git') throw new ScmError('scm_file_unsupported', `${path}: a tree cannot hold a git folder`);
    const facts = await lstat(join(root, path));
    if (facts.isDirectory()) yield* folderStream(root, path);
    else if (facts.isFile()) yield* fileStream(join(root, path), path, facts.size, (facts.mode & 0o100) !== 0);
    else throw new ScmError('scm_file_unsupported', `${path}: only plain files and folders can be committed`);
  }
}

async function* fileStream(file: string, path: string, size: number, executable: boolean): AsyncGenerator<Buffer> {
  yield Buffer.from(`M ${executable ? '100755' : '100644'} inline ${quoted(path)}\ndata ${size}\n`);
  let sent = 0;
  for await (const piece of createReadStream(file)) {
    const bytes = asBuffer(piece);
    sent += bytes.length;
    yield bytes;
  }
  // The length was announced; anything else would turn file content into commands.
  if (sent !== size) throw new ScmError('scm_failed', `${path} changed while it was read; try again`);
  yield Buffer.from('\n');
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

/** Neither can end the line nor the address. */
function plain(text: string): string {
  return text.replace(/[<>\p{Cc}]+/gu, ' ').trim();
}

// Safe: a read stream without an encoding gives buffers.
function asBuffer(piece: unknown): Buffer {
  return piece as Buffer;
}
