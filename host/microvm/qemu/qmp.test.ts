import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Qmp } from './qmp.ts';

/** QEMU's end: greets, then answers each line as told. */
function qemu(answer: (line: string) => string) {
  const [ours, theirs] = duplexPair();
  theirs.on('data', (chunk: Buffer) => theirs.write(answer(chunk.toString())));
  theirs.on('error', () => undefined);
  const qmp = new Qmp(ours);
  theirs.write('{"QMP": {}}\n');
  return { qmp, theirs };
}

describe("QEMU's control protocol", () => {
  it('answers commands, in pieces and between events', async () => {
    const { qmp, theirs } = qemu((line) =>
      line.includes('qmp_capabilities') ? '{"return": {}}\n' : '{"event": "MIGRATION", "data": {"status": "active"}}\n{"ret',
    );
    await qmp.start();
    const end = qmp.migrationEnd();
    const status = qmp.command('query-status');
    await once(theirs, 'data');
    theirs.write('urn": {"status": "running"}}\n{"event": "MIGRATION", "data": {"status": "completed"}}\n');
    expect(await status).toEqual({ status: 'running' });
    expect(await end).toBe('completed');
  });

  it('turns a refusal into an error with its words', async () => {
    const { qmp } = qemu(() => '{"error": {"class": "GenericError", "desc": "no such thing"}}\n');
    await expect(qmp.command('nonsense')).rejects.toMatchObject({ code: 'qemu_refused', message: 'QEMU: no such thing' });
  });

  it.each([
    ['no JSON', 'hello\n'],
    ['a line without end', 'x'.repeat(2_000_000)],
  ])('closes on %s', async (_name, junk) => {
    const { qmp } = qemu(() => junk);
    await expect(qmp.command('stop')).rejects.toMatchObject({ code: 'machine_gone' });
    await qmp.closed;
    await expect(qmp.command('stop')).rejects.toMatchObject({ code: 'machine_gone' });
  });
});
