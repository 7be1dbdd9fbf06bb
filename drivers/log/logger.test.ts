import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { openLogger } from './logger.ts';

function logTo() {
  const lines: Record<string, unknown>[] = [];
  const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>), done()) });
  return { lines, log: openLogger({ part: 'api', level: 'debug' }, sink) };
}

test("an error of the HTTP parser carries its sender's bytes: they are not written, and nothing throws", () => {
  const { lines, log } = logTo();
  const error = Object.assign(new Error('Parse Error'), { code: 'HPE_INVALID_METHOD', rawPacket: Buffer.from('authorization: Bearer secret'), bytesParsed: 3 });
  log.warn({ err: error }, 'an answer broke off');
  log.error(Object.assign(new Error('outer', { cause: error }), { rawPacket: Buffer.alloc(9) }));
  expect(lines).toMatchObject([
    { msg: 'an answer broke off', err: { type: 'Error', message: 'Parse Error', code: 'HPE_INVALID_METHOD' } },
    { msg: 'outer', err: { message: 'outer', cause: { code: 'HPE_INVALID_METHOD' } } },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/rawPacket|secret/);
});

test('no logger throws, whatever it is given; credentials are left out wherever they stand', () => {
  const { lines, log } = logTo();
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const hostile = {
    get name(): string {
      throw new Error('not today');
    },
  };
  const given: unknown[] = [
    { packet: Buffer.from('x') },
    { deep: { packet: new Uint8Array(4) } },
    { circular },
    { big: 10n },
    { hostile },
    { err: hostile },
    { err: undefined },
    { err: new Proxy(new Error('x'), { get: () => { throw new Error('no'); } }) },
    { toJSON: () => { throw new Error('no'); } },
    { list: [Symbol('a'), () => undefined] },
    null,
  ]; // prettier-ignore
  for (const one of given) {
    log.info(one, 'said');
    log.child({ of: 'one' }).error(one as object, 'said');
  }
  log.info({ a: { b: { access_token: 'secret-2' } }, authorization: 'secret-3' }, 'said');
  expect(lines).toHaveLength(given.length * 2 + 1);
  expect(lines.filter(({ msg }) => msg !== 'said')).toEqual([]);
  expect(JSON.stringify(lines)).not.toContain('secret');
});
