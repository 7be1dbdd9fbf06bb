// Values that pass a loose schema and that PostgreSQL refuses: answered as the caller's mistake, or harmless, and never as ours.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSchema } from '#contract/kit.ts';
import { encodeCursor } from '#core/kernel/page.ts';
import { pathOf } from '#contract/route-table.ts';
import { locate } from '#contract/kit.ts';
import { callerFor, createWorld, ROUTES, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const NUMBERS = ['2147483648', '99999999999', '999999999999999', '-2147483649', '9223372036854775808'];
const CURSORS = [2 ** 31, -(2 ** 31) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER].flatMap((n) => [
  encodeCursor([n]),
  encodeCursor([n, 'x']),
  encodeCursor([n, '']),
]);

const asked = ROUTES.filter(({ spec }) => locate(spec).method === 'GET' && spec.query !== undefined).map((route) => [route.id, route] as const);

describe('numbers and cursors beyond their columns', () => {
  test.each(asked)('%s', async (id, { spec }) => {
    const who = callerFor(spec.scope) ?? 'ada';
    const names = Object.keys(spec.params?._zod.def.shape ?? {});
    const params = Object.fromEntries(names.map((name) => [name, world.records[`${id}.${name}`] ?? world.records[name]]));
    for (const name of Object.keys(spec.query?._zod.def.shape ?? {})) {
      for (const value of name === 'cursor' ? [...CURSORS, '99999999999.0', '2147483648.1'] : NUMBERS) {
        const signal = AbortSignal.timeout(10_000);
        const address = world.url + pathOf(spec, { params, query: { [name]: value } });
        const response = await fetch(address, {
          headers: { authorization: `Bearer ${world.tokens[who]}`, accept: 'application/json' },
          redirect: 'manual',
          signal,
        });
        await response.body?.cancel();
        expect(response.status, `${name}=${value}`).toBeLessThan(500);
      }
    }
  });
});

test('a Last-Event-ID beyond every event is no defect of ours', async () => {
  const streams = ROUTES.filter(({ spec }) => spec.out !== undefined && !isSchema(spec.out) && (spec.out.kind === 'event-stream' || spec.out.kind === 'passthrough') && locate(spec).method === 'GET');
  expect(streams.length).toBeGreaterThan(1);
  for (const { id, spec } of streams) {
    const names = Object.keys(spec.params?._zod.def.shape ?? {});
    const params = Object.fromEntries(names.map((name) => [name, world.records[`${id}.${name}`] ?? world.records[name]]));
    for (const value of [...NUMBERS, 'x', '1e9', '\u00ff']) {
      const headers = { authorization: `Bearer ${world.tokens.ada}`, accept: 'text/event-stream', 'last-event-id': value };
      const response = await fetch(world.url + pathOf(spec, { params }), { headers });
      await response.body?.cancel();
      expect(response.status, `${id}: ${value}`).toBeLessThan(500);
    }
  }
}); // prettier-ignore

test("a file's name that is not UTF-8 is refused; one in any script is kept, and its bytes are whatever they are", async () => {
  const send = async (filename: string, content: string) => {
    const head = `--x\r\ncontent-disposition: form-data; name="file"; filename="${filename}"\r\ncontent-type: application/octet-stream\r\n\r\n`;
    const body = Buffer.from(`${head}${content}\r\n--x--\r\n`, 'latin1');
    const headers = { authorization: `Bearer ${world.tokens.ada}`, 'content-type': 'multipart/form-data; boundary=x' };
    const response = await fetch(`${world.url}/v1/me/files`, { method: 'POST', headers, body });
    return { status: response.status, text: await response.text() };
  };
  expect(await send('a\xff.txt', 'x')).toMatchObject({ status: 422, text: expect.stringContaining('UTF-8') });
  const kept = await send(Buffer.from('grüß.bin').toString('latin1'), '\xff\xfe\x00');
  expect(kept.status).toBeLessThan(300);
  expect(kept.text).toContain('grüß.bin');
  const bytes = await fetch(`${world.url}/v1/me/files/gr%C3%BC%C3%9F.bin`, { headers: { authorization: `Bearer ${world.tokens.ada}` } });
  expect(bytes.status === 200 ? [...new Uint8Array(await bytes.arrayBuffer())] : bytes.status).toEqual([0xff, 0xfe, 0]);
});
