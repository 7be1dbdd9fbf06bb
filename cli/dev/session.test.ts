// The half of `svc dev` that is here, against a box that answers as the real one does to the few things that
// are asked.
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Answer, Ask, Frame } from './frames.ts';
import type { Remote } from './remote.ts';
import { DevSession } from './session.ts';
import type { FileFacts } from './tree.ts';

test('a save between the first sync and the watching is taken up, too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-session-'));
  const files = new Map<string, FileFacts>();
  const staged = new Map<string, Uint8Array>();
  const served: string[][] = [];
  const answer = (head: Ask, body: Uint8Array): Answer => {
    if (head.do === 'begin') return { is: 'ready', tree_id: 'one', now: Date.now(), pristine: false };
    if (head.do === 'scan') return { is: 'tree', files: [...files], now: Date.now() };
    if (head.do === 'stage') {
      staged.set(head.sha256, body);
      return { is: 'staged' };
    }
    if (head.do === 'apply') {
      for (const { path, sha256, executable } of head.writes)
        files.set(path, { sha256, executable, size: staged.get(sha256)?.length ?? -1, mtime: Date.now() });
      return { is: 'applied', changed: [] };
    }
    if (head.do === 'serve') served.push([...head.paths]);
    return { is: 'served', well: true, ms: 1 };
  };
  const remote: Remote = {
    // Safe: each question has its one kind of answer above.
    ask: async <I extends Answer['is']>(head: Ask, _is: I, body: Uint8Array = new Uint8Array()) =>
      ({ head: answer(head, body), body: Buffer.alloc(0) }) as unknown as Frame<Extract<Answer, { is: I }>>,
    ended: new Promise(() => undefined),
    close: async () => undefined,
  };
  const quiet = { synced: () => undefined, served: () => undefined, problem: () => undefined };
  const session = new DevSession(folder, remote, quiet, { reload: true, allowSecrets: false });
  const stop = new AbortController();
  try {
    await writeFile(join(folder, 'agent.ts'), 'one');
    await session.begin({ agent: 'a', folder: '/home/agent/a', host: '127.0.0.1', port: 8000, reload: true, env: {}, url: 'http://a' });
    expect(served).toEqual([['agent.ts']]);
    await writeFile(join(folder, 'agent.ts'), 'two');
    const over = session.follow(stop.signal);
    await expect.poll(() => files.get('agent.ts')?.sha256).toBe(createHash('sha256').update('two').digest('hex'));
    await expect.poll(() => served.length).toBe(2);
    stop.abort();
    await over;
  } finally {
    await rm(folder, { recursive: true });
  }
});
