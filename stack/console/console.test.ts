import { createClient } from '#contract/client.ts';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { testDatabase } from '#test/support/servers.ts';
import { createPool } from '#db/pool.ts';
import { addUser, testCtx } from '#test/support/verbs.ts';
import { atHand } from './at-hand.ts';
import { evaluateLines } from './console.ts';

test('lines are evaluated beside the data, and may await', async () => {
  const db = createPool({ connectionString: (await testDatabase()).url });
  const userId = await addUser(db, 'ada');
  const { email } = (await db('users').where({ user_id: userId }).first('email')) ?? {};
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const said = text(stdout);
  const ended = evaluateLines(
    atHand(testCtx(db, { actor: { kind: 'anonymous' } }), async () => createClient({ baseUrl: 'http://localhost:1' })),
    { stdin, stdout },
  );
  stdin.end(
    [
      `const me = await as('${email}')`,
      `me.actor.user_id`,
      `ctx.actor.kind`,
      `(await db('users').where({ email: '${email}' })).length + 40`,
      `const { getMe } = await import('#core/identity/user/get.ts')`,
      `'I am ' + (await getMe(me)).user_id`,
      `await as('nobody@svc.local')`,
      '',
    ].join('\n'),
  );
  await ended;
  stdout.end();
  await db.destroy();
  const lines = await said;
  for (const line of [`'${userId}'`, `'I am ${userId}'`, `'platform'`, '41', 'svc login --local nobody@svc.local']) expect(lines).toContain(line);
});

test.each(['console', 'seed'])('%s without an installation says what to do', (command) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-console-'));
  try {
    const { status, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, '../main.ts'), command], {
      env: { ...process.env, SVC_STATE_DIR: folder },
      encoding: 'utf8',
    });
    expect(stderr.trim()).toBe('Nothing is up here. Run `npm run up` first, then this again.');
    expect(status).toBe(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
