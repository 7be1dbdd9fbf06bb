import { createServer } from 'node:net';
import { expect, test, vi } from 'vitest';
import { createPool } from '#db/pool.ts';
import { freePort } from '#stack/ports.ts';
import { testDatabase } from '#test/support/servers.ts';
import { isOutage } from './outage.ts';

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

test('a database that does not exist, one that hangs up, and one that ends our session are outages', async () => {
  const nowhere = createPool({ connectionString: `postgres://svc@127.0.0.1:${await freePort()}/svc` });
  const refused = await errorOf(nowhere.raw('select 1'));
  await nowhere.destroy();
  const port = await freePort();
  const rude = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  const hungUp = createPool({ connectionString: `postgres://svc@127.0.0.1:${port}/svc` });
  const cut = await errorOf(hungUp.raw('select 1'));
  await hungUp.destroy();
  rude.close();
  const db = createPool({ connectionString: (await testDatabase()).url, applicationName: 'outage' });
  const sleeping = errorOf(db.raw('select pg_sleep(30)'));
  await vi.waitFor(async () =>
    expect(
      (await db.raw(`select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(30)%' and pid <> pg_backend_pid()`)).rowCount,
    ).toBe(1),
  );
  const ended = await sleeping;
  for (const error of [refused, cut, ended]) {
    expect(error).toBeInstanceOf(Error);
    expect(isOutage(error), String(error)).toBe(true);
  }
  await db.destroy();
});

test('a mistake in a statement, or in our code, is ours', async () => {
  const db = createPool({ connectionString: (await testDatabase()).url });
  expect(isOutage(await errorOf(db.raw('select nothing')))).toBe(false);
  expect(isOutage(new TypeError('x is not a function'))).toBe(false);
  await db.destroy();
});
