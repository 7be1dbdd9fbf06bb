// Sessions of a box's sshd, over a listener like the one in the guest.
import { once } from 'node:events';
import { duplexPair, type Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { createSshds } from './sshds.ts';

interface Listener {
  connect(): Promise<Duplex>;
  /** Slots whose sshd was started, in order. */
  started: string[];
  keys: Map<string, string>;
  /** The guest's end of each sshd. */
  sshds: Map<string, Duplex>;
}

function listener({ refuse = 0 } = {}): Listener {
  const all: Listener = {
    started: [],
    keys: new Map(),
    sshds: new Map(),
    async connect() {
      const [host, guest] = duplexPair();
      let line = '';
      guest.on('error', () => undefined);
      guest.on('data', function first(chunk: Buffer) {
        line += chunk.toString();
        if (!line.includes('\n')) return;
        guest.off('data', first);
        const said = JSON.parse(line) as { slot: string; key?: string };
        if (said.key !== undefined) {
          if (refuse-- > 0) return void guest.end();
          all.keys.set(said.slot, said.key);
          return void guest.end('ok\n');
        }
        all.started.push(said.slot);
        all.sshds.set(said.slot, guest);
        guest.write('SSH-2.0-here\r\n');
        guest.on('data', (bytes: Buffer) => guest.write(`${all.keys.get(said.slot)} ${bytes.toString()}`));
        guest.once('end', () => guest.end());
      });
      return host;
    },
  };
  return all;
}

const greeting = (key: string): string => `${JSON.stringify({ session: 'box_1', key })}\n`;

async function until(stream: Duplex, wanted: string): Promise<string> {
  let heard = '';
  while (!heard.includes(wanted)) {
    const [chunk] = (await once(stream, 'data')) as [Buffer];
    heard += chunk.toString();
  }
  return heard;
}

test('a session takes the sshd that waited, which learns its key; the next one has another', async () => {
  const guest = listener();
  const sshds = createSshds(guest.connect);
  await sshds.prepare();
  await sshds.prepare();
  expect(guest.started).toHaveLength(1);
  const first = sshds.session();
  // The greeting in pieces, and the client's first words with it.
  first.write(greeting('key-a').slice(0, 10));
  first.write(`${greeting('key-a').slice(10)}hello`);
  expect(await until(first, 'hello')).toBe('SSH-2.0-here\r\nkey-a hello');
  const second = sshds.session();
  second.write(greeting('key-b'));
  second.write('hello');
  expect(await until(second, 'hello')).toBe('SSH-2.0-here\r\nkey-b hello');
  expect(new Set(guest.started).size).toBe(2);
  first.end();
  await once(first, 'close');
  sshds.drop();
});

test('one that ended while it waited, or a key that was not taken: another is started', async () => {
  const guest = listener({ refuse: 1 });
  const sshds = createSshds(guest.connect);
  await sshds.prepare();
  guest.sshds.get(guest.started[0] ?? '')?.destroy(new Error('killed'));
  await expect.poll(() => guest.sshds.get(guest.started[0] ?? '')?.destroyed).toBe(true);
  const session = sshds.session();
  session.write(greeting('key'));
  session.write('hello');
  expect(await until(session, 'hello')).toContain('key hello');
  session.destroy();
  sshds.drop();
});

test('what is no greeting ends its session, and starts nothing', async () => {
  const guest = listener();
  const sshds = createSshds(guest.connect);
  for (const words of ['SSH-2.0-somebody\r\n', '{"session":"../x","key":"k"}\n', 'x'.repeat(5_000)]) {
    const session = sshds.session();
    const failed = once(session, 'error');
    session.write(words);
    expect(await failed).toMatchObject([{ code: 'bad_request' }]);
  }
  expect(guest.started).toEqual([]);
});

test('a session ends with its sshd, after all that this said', async () => {
  const guest = listener();
  const sshds = createSshds(guest.connect);
  const session = sshds.session();
  session.write(greeting('key'));
  await until(session, 'SSH-2.0');
  const [sshd] = guest.sshds.values();
  sshd?.end('x'.repeat(300_000));
  let heard = 0;
  session.on('data', (chunk: Buffer) => (heard += chunk.length));
  await once(session, 'end');
  expect(heard).toBe(300_000);
  session.end();
  sshds.drop();
});
