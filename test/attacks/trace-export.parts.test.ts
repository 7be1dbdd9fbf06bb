// An agent that Ada's agent calls exports spans: junk, other runs' ids, endless bodies. Ada's trace stays as
// it was, and the API goes on.
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { spanIdOf } from '#core/kernel/trace.ts';
import { MAX_EXPORT_BYTES, TRACE_EXPORT_PATH } from '#contract/wire/trace-export.ts';
import { randomFrom } from '../fuzz/tokens.ts';
import { exported, ID, type SpanAttack, spanAttack } from './span-attacker.ts';

let a: SpanAttack;
beforeAll(async () => void (a = await spanAttack()));
afterAll(() => a?.world.close());

/** Ada's run with two spans of its own, and the run of Mallory's agent that the second called. */
async function calledByAda() {
  const hers = await a.begun();
  expect(await a.send(hers, exported(hers, [{ name: 'plan' }, { name: 'call' }]))).toEqual({ status: 200, bytes: 0 });
  const theirs = await a.begun({ agent: a.theirs, below: hers, parentSpan: ID(2) });
  return { hers, theirs, before: await a.trace(hers) };
}
const saidByAda = ({ spans }: Awaited<ReturnType<SpanAttack['trace']>>) => spans.filter(({ source, agent }) => source === 'agent' && agent === a.hers.name);

test('two thousand bodies of junk, and of exports with bytes changed, leave her trace as it was', async () => {
  const { hers, theirs, before } = await calledByAda();
  const random = randomFrom(7);
  const valid = Buffer.from(exported(theirs, [{ name: 'x', attributes: { deep: 'y' } }]));
  const statuses = new Set<number>();
  for (let round = 0; round < 2_000; round += 1) {
    const body = round % 2 === 0 ? Buffer.from(Array.from({ length: random(200) }, () => random(256))) : Buffer.from(valid);
    if (round % 2 === 1) for (let n = 0; n <= random(4); n += 1) body[random(body.length)] = random(256);
    statuses.add((await a.send(theirs, body)).status);
  }
  expect([...statuses].filter((status) => status !== 200 && status !== 400)).toEqual([]);
  const after = await a.trace(hers);
  expect(saidByAda(after)).toEqual(saidByAda(before));
  expect(after.spans.filter(({ source, agent }) => source === 'agent' && agent !== a.hers.name && agent !== a.theirs.name)).toEqual([]);
});

test('ids of her spans and of her run are not taken over by the run that she called', async () => {
  const { hers, theirs, before } = await calledByAda();
  const ids = [ID(1), ID(2), spanIdOf(hers.actor.run_id)];
  await a.send(
    theirs,
    exported(
      theirs,
      ids.map((span_id) => ({ span_id, name: 'forged', parent_id: ID(1), start_ns: '1' })),
    ),
  );
  const after = await a.trace(hers);
  expect(saidByAda(after)).toEqual(saidByAda(before));
  const own = new Set([spanIdOf(theirs.actor.run_id), ...after.spans.filter(({ run_id }) => run_id === theirs.actor.run_id).map(({ span_id }) => span_id)]);
  for (const span of after.spans.filter(({ name }) => name === 'forged')) expect(own).toContain(span.parent_id);
});

test('a body without an end is refused before it fills memory, and others are served', async () => {
  const { theirs } = await calledByAda();
  const headers = { 'content-type': 'application/x-protobuf', 'x-svc-run-token': await a.token(theirs) };
  let sent = 0;
  const status = await new Promise<number>((resolve) => {
    const outgoing = request(a.world.url + TRACE_EXPORT_PATH, { method: 'POST', headers }, (response) => {
      resolve(response.statusCode ?? 0);
      outgoing.destroy();
    });
    // The connection may be closed before the answer is read.
    outgoing.on('error', () => resolve(0));
    const more = (): void => {
      while (sent < 100 * MAX_EXPORT_BYTES && !outgoing.destroyed) {
        sent += 65_536;
        if (!outgoing.write(Buffer.alloc(65_536))) return void outgoing.once('drain', more);
      }
    };
    more();
  });
  expect([0, 413]).toContain(status);
  expect(sent).toBeLessThan(100 * MAX_EXPORT_BYTES);
  expect((await a.send(theirs, exported(theirs, [{ name: 'fine' }]))).status).toBe(200);
});

test('she is the only one who reads her trace; an ended credential of another run writes nothing into it', async () => {
  const { hers } = await calledByAda();
  await expect(a.trace(hers, a.mallory)).rejects.toMatchObject({ code: 'run_not_found' });
  const stranger = await a.begun({ agent: a.theirs, user: a.mallory });
  const stored = await a.stored(hers);
  expect((await a.send(stranger, exported(hers, [{ span_id: ID(9), name: 'forged' }]))).status).toBe(200);
  expect(await a.stored(hers)).toBe(stored);
});
