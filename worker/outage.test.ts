import { MockActivityEnvironment } from '@temporalio/testing';
import type { Knex } from 'knex';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isOutage } from '#core/kernel/outage.ts';
import { createPool } from '#db/pool.ts';
import { freePort } from '#stack/ports.ts';
import { testDatabase } from '#test/support/servers.ts';
import { databaseAnswers, retryWhileDatabaseDown } from './outage.ts';

let port: number;
let database: URL;
let db: Knex;
let way: Server | undefined;
const open = new Set<Socket>();

beforeAll(async () => {
  port = await freePort();
  database = new URL((await testDatabase()).url);
  const through = new URL(database);
  through.port = String(port);
  db = createPool({ connectionString: through.href });
});
afterAll(async () => {
  await db.destroy();
  await takeAway();
});

test('an activity whose database goes away is executed again in the same attempt, once the database is back', async () => {
  await bringBack();
  let executions = 0;
  const work: Promise<{ rows: object[] }> = environment().run(async () => {
    executions += 1;
    if (executions === 1) await takeAway();
    return db.raw<{ rows: object[] }>('select 7 as seven').catch((error: unknown) => {
      // It is away for longer than it takes to look once.
      setTimeout(() => void bringBack(), 1_200);
      throw error;
    });
  });
  expect((await work).rows).toEqual([{ seven: 7 }]);
  expect(executions).toBe(2);
});

test('a refused connection to another part fails the attempt while the database answers', async () => {
  await bringBack();
  const nowhere = await freePort();
  let executions = 0;
  const error: unknown = await environment()
    .run(async () => {
      executions += 1;
      await once(connect(nowhere, '127.0.0.1'), 'connect');
    })
    .catch((reason: unknown) => reason);
  expect([isOutage(error), executions]).toEqual([true, 1]);
});

test('a fault of its own work fails the attempt at once, also while the database is away', async () => {
  await takeAway();
  await expect(environment().run(() => Promise.reject(new Error('its own')))).rejects.toThrow('its own');
});

test('a database that stays away for as long as an attempt may take fails the attempt', async () => {
  await takeAway();
  const error: unknown = await environment(700)
    .run(() => db.raw('select 1'))
    .catch((reason: unknown) => reason);
  expect(isOutage(error), String(error)).toBe(true);
});

function environment(startToCloseTimeoutMs = 30_000): MockActivityEnvironment {
  return new MockActivityEnvironment({ startToCloseTimeoutMs }, { interceptors: [retryWhileDatabaseDown(() => databaseAnswers(db))] });
}

async function bringBack(): Promise<void> {
  if (way) return;
  way = createServer((socket) => {
    const server = connect(Number(database.port), database.hostname);
    for (const [one, other] of [
      [socket, server],
      [server, socket],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => void (open.delete(one) && other.destroy()));
    }
  });
  way.listen(port, '127.0.0.1');
  await once(way, 'listening');
}

async function takeAway(): Promise<void> {
  const closed = way && once(way, 'close');
  way?.close();
  way = undefined;
  for (const socket of open) socket.destroy();
  await closed;
}
