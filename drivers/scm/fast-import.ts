// A git fast-import stream of one commit: its whole tree is a folder, or it changes a few files of its
// parent.
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScmError } from './names.ts';
import type { FileChange } from './port.ts';

export interface CommitPlan {
  /** The folder that becomes the whole tree, or what changes. */
  content: { folder: string } | { changes: readonly FileChange[] };
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
  yield Buffer.from(`\n${plan.parent === undefined ? '' : `from ${plan.parent}\n`}`);
  if ('folder' in plan.content) {
    yield Buffer.from('deleteall\n');
    yield* folderStream(plan.content.folder);
  } else for (const change of plan.content.changes) yield changeStream(change);
  yield Buffer.from('get-mark :1\ndone\n');
}

function changeStream({ path, content, executable = false }: FileChange): Buffer {
  if (content === null) return Buffer.from(`D ${quoted(path)}\n`);
  return Buffer.concat([Buffer.from(`M ${executable ? '100755' : '100644'} inline ${quoted(path)}\ndata ${content.length}\n`), content, lineFeed]);
}

interface Entry {
  path: string;
  size: number;
  executable: boolean;
}

/** Small files are read this many ahead: ten thousand of them one by one would be ten thousand waits. */
const readAhead = 16;
const smallBytes = 256 * 1024;

async function* folderStream(root: string): AsyncGenerator<Buffer> {
  const ahead: { entry: Entry; content: Promise<Buffer> | undefined }[] = [];
  const emit = async function* (): AsyncGenerator<Buffer> {
    const next = ahead.shift();
    if (next) yield* fileStream(join(root, next.entry.path), next.entry, next.content);
  };
  for await (const entry of filesOf(root, '')) {
    const content = entry.size <= smallBytes ? readFile(join(root, entry.path)) : undefined;
    content?.catch(() => undefined); // the queue reports it
    ahead.push({ entry, content });
    if (ahead.length >= readAhead) yield* emit();
  }
  while (ahead.length > 0) yield* emit();
}

async function* filesOf(root: string, below: string): AsyncGenerator<Entry> {
  for (const name of (await readdir(join(root, below))).sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    if (name.toLowerCase() === '.git') throw new ScmError('scm_file_unsupported', `${path}: a tree cannot hold a git folder`);
    const facts = await lstat(join(root, path));
    if (facts.isDirectory()) yield* filesOf(root, path);
    else if (facts.isFile()) yield { path, size: facts.size, executable: (facts.mode & 0o100) !== 0 };
    else throw new ScmError('scm_file_unsupported', `${path}: only plain files and folders can be committed`);
  }
}

async function* fileStream(file: string, { path, size, executable }: Entry, content: Promise<Buffer> | undefined): AsyncGenerator<Buffer> {
  const head = Buffer.from(`M ${executable ? '100755' : '100644'} inline ${quoted(path)}\ndata ${size}\n`);
  let sent = 0;
  if (content) {
    const bytes = await content;
    sent = bytes.length;
    if (sent === size) yield Buffer.concat([head, bytes, lineFeed]);
  } else {
    yield head;
    for await (const piece of createReadStream(file)) {
      const bytes = asBuffer(piece);
      sent += bytes.length;
      yield bytes;
    }
    yield lineFeed;
  }
  // The length was announced; anything else would turn file content into commands. Nothing is committed after
  // an error.
  if (sent !== size) throw new ScmError('scm_failed', `${path} changed while it was read; try again`);
}

const lineFeed = Buffer.from('\n');

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
