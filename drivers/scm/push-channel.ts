// A push as the platform sees it: git's hooks (hooks/) speak over one connection, which the git process
// inherits from us as descriptor 3. Who has the connection is our git, so that it needs no address and no
// secret.
//
//   hook      <name> <folder of new objects> \n  (<before> <after> <ref> \n)…  end \n
//   platform  (say <text> \n)…  exit <0|1> \n
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { resolve } from 'node:path';
import { git } from './git-process.ts';
import type { PushRules, RefUpdate } from './port.ts';
import { treeEntries } from './tree.ts';

const maxUpdates = 100;
/** Of all that one repository keeps. */
const maxRepositoryBytes = 1024 * 1024 * 1024;
const maxLine = 2_000;
const nothing = /^0+$/;

interface HookRequest {
  hook: string;
  /** Where the push keeps its objects while it is not taken. */
  objects: string;
  updates: RefUpdate[];
}

/** Answers hooks until git has closed the connection. */
export async function answerHooks(channel: Duplex, gitDir: string, rules: PushRules): Promise<void> {
  channel.on('error', () => undefined);
  const exit = async (status: 0 | 1): Promise<void> => void (await write(channel, `exit ${status}\n`));
  for await (const request of questions(channel)) {
    try {
      if (request.hook === 'pre-receive') await exit(await admit(channel, gitDir, request, rules));
      else {
        for await (const line of rules.received(request.updates)) await say(channel, [line]);
        await exit(0);
      }
    } catch {
      await say(channel, ['The platform could not answer. Push again in a moment.']);
      await exit(1);
    }
  }
}

async function admit(channel: Duplex, gitDir: string, { objects, updates }: HookRequest, rules: PushRules): Promise<0 | 1> {
  if (updates.length > maxUpdates) {
    await say(channel, [`A push may change at most ${maxUpdates} branches and tags: push them in parts.`]);
    return 1;
  }
  if ((await bytesOf(gitDir)) > maxRepositoryBytes) {
    await say(channel, [`The repository has more than ${maxRepositoryBytes / 1024 / 1024} MiB of history: ask the operators of this installation.`]);
    return 1;
  }
  // Its objects are in quarantine, below the repository's own.
  const quarantined = resolve(objects).startsWith(`${resolve(gitDir)}/`);
  const env = quarantined ? { GIT_OBJECT_DIRECTORY: objects, GIT_ALTERNATE_OBJECT_DIRECTORIES: `${gitDir}/objects` } : {};
  const refusal = await rules.admit({ updates, files: (revision) => treeEntries(gitDir, revision, env) });
  if (refusal === undefined) return 0;
  await say(channel, refusal);
  return 1;
}

/** Without what is in quarantine. */
async function bytesOf(gitDir: string): Promise<number> {
  const counts = await git(gitDir, ['count-objects', '-v']);
  return [...counts.matchAll(/^(?:size|size-pack): (\d+)$/gm)].reduce((sum, [, kib]) => sum + Number(kib) * 1024, 0);
}

async function* questions(channel: Duplex): AsyncGenerator<HookRequest> {
  let request: HookRequest | undefined;
  for await (const line of createInterface({ input: channel, crlfDelay: Infinity })) {
    if (request === undefined) {
      const space = line.indexOf(' ');
      request = { hook: line.slice(0, space), objects: line.slice(space + 1), updates: [] };
    } else if (line === 'end') {
      yield request;
      request = undefined;
    } else if (request.updates.length <= maxUpdates) {
      const [before = '', after = '', ...ref] = line.split(' ');
      request.updates.push({ ref: ref.join(' '), before: nothing.test(before) ? null : before, after: nothing.test(after) ? null : after });
    }
  }
}

/** One line each, without what would move a terminal's cursor. */
async function say(channel: Duplex, lines: readonly string[]): Promise<void> {
  for (const text of lines) for (const line of text.split(/\r?\n/)) await write(channel, `say ${line.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ').slice(0, maxLine)}\n`);
}

async function write(channel: Duplex, text: string): Promise<void> {
  if (channel.destroyed || channel.writableEnded || channel.write(text)) return;
  await Promise.race([once(channel, 'drain'), once(channel, 'close')]).catch(() => undefined);
}
