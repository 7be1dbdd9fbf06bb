// The sidecar with workers that break the protocol: only their own runs end; and the rules of events,
// cancellation and restarts.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AgentErrorBody } from '../../../contract/wire/errors.ts';
import type { ToWorker } from '../../../contract/wire/worker.ts';
import type { Entry } from '../runtime/log.ts';
import { fakeWorker, type FakeWorker, type React, type Say } from './fake-worker.ts';
import { lineReader } from './lines.ts';
import { startSidecar, type SidecarOptions } from './start.ts';

const skill = (id: string, policy = {}): object => ({
  id,
  name: id,
  policy,
  input_schema: { type: 'object', properties: { n: { type: 'integer' } }, required: [], additionalProperties: false },
  output_schema: {},
});
const DSL = {
  dsl: 1,
  card: {
    name: 'fake',
    description: '',
    version: '1.0.0',
    skills: [skill('go'), skill('other', { idempotent: true, max_retries: 2 })],
    runtime: { concurrency: 8 },
  },
  worker: { language: 'go', entrypoint: 'main:main' },
};

type Invoke = Extract<ToWorker, { t: 'invoke' }>;

async function serve(react: React, options: Partial<SidecarOptions> = {}) {
  const worker = await fakeWorker(react);
  return { worker, ...(await serveWith(worker, options)) };
}

async function serveWith(worker: FakeWorker, options: Partial<SidecarOptions> = {}) {
  const log: Entry[] = [];
  const started = await startSidecar({
    dsl: DSL,
    worker: { url: worker.url },
    drainMs: 200,
    onLog: (entry) => void log.push(entry),
    ...options,
    listen: { host: '127.0.0.1', port: 0 },
  });
  onTestFinished(() => started.shutdown());
  const address = started.server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  const url = `http://127.0.0.1:${address.port}`;
  const post = (name: string, args: object = {}, init: RequestInit = {}): Promise<Response> =>
    fetch(`${url}/invoke/${name}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(args), ...init });
  const refusal = async (name: string, args: object = {}) => {
    const response = await post(name, args);
    return { status: response.status, ...AgentErrorBody.parse(await response.json()).detail };
  };
  return { url, log, post, refusal, update: started.update };
}

/** Reacts only to invocations, by skill. */
const on =
  (
    go: (frame: Invoke, say: Say) => void,
    other: (frame: Invoke, say: Say) => void = (frame, say) => say({ t: 'result', id: frame.id, value: 'fine' }),
  ): React =>
  (frame, say) => {
    if (frame.t === 'invoke') (frame.skill === 'go' ? go : other)(frame, say);
  };

describe('a worker that breaks the protocol', () => {
  const breaches: [string, (frame: Invoke, say: Say) => void][] = [
    ['an event whose number is not the next', ({ id }, say) => say({ t: 'event', id, seq: 2, kind: 'progress', payload: { message: '' } })],
    ['an event only the runtime may write', ({ id }, say) => say({ t: 'event', id, seq: 1, kind: 'result', payload: { result: 1 } })],
    ['an event whose payload does not fit its kind', ({ id }, say) => say({ t: 'event', id, seq: 1, kind: 'text_delta', payload: { txt: 1 } })],
    ['an event whose kind is no name', ({ id }, say) => say({ t: 'event', id, seq: 1, kind: 'No Name', payload: {} })],
    ['an unknown method', ({ id }, say) => say({ t: 'call', id, call: 1, method: 'become_root', params: {} })],
    [
      'one call twice',
      ({ id }, say) => {
        say({ t: 'call', id, call: 1, method: 'ask', params: { prompt: '?' } });
        say({ t: 'call', id, call: 1, method: 'ask', params: { prompt: '?' } });
      },
    ],
    [
      'too many open calls',
      ({ id }, say) => {
        for (let call = 1; call < 100; call += 1) say({ t: 'call', id, call, method: 'ask', params: { prompt: '?' } });
      },
    ],
    ['an error that is none', ({ id }, say) => say({ t: 'error', id, error: { status: 200 } })],
  ];
  it.each(breaches)('%s: that run fails, another goes on', async (_, go) => {
    let finish = (): void => {};
    const { post, refusal, worker } = await serve(on(go, (frame, say) => (finish = () => say({ t: 'result', id: frame.id, value: 'fine' }))));
    const neighbour = post('other');
    await vi.waitFor(() => expect(worker.heard.some((frame) => frame.t === 'invoke')).toBe(true));
    expect(await refusal('go')).toMatchObject({ status: 500, code: 'skill_invocation_error' });
    expect(worker.heard.some((frame) => frame.t === 'cancel')).toBe(true);
    finish();
    expect(await (await neighbour).json()).toBe('fine');
  });

  it.each(['9007199254740993', '1e400'])('a result with %s, which would arrive as another number, is the error of its run', async (number) => {
    const { refusal, post } = await serve(on(({ id }, say) => say(`{"t":"result","id":${id},"value":[${number}]}`)));
    expect(await refusal('go')).toMatchObject({ status: 500, code: 'skill_output_error' });
    expect(await (await post('other')).json()).toBe('fine');
  });

  const fatal: [string, string][] = [
    ['a line that is not JSON', 'what?'],
    ['a frame of an unknown kind', '{"t":"mint"}'],
    ['a second hello', '{"t":"hello","protocol":"svc-worker/1","language":"x","sdk":"x","skills":["go","other"]}'],
    ['a list', '[]'],
  ];
  it.each(fatal)('%s: the connection is given up, and the next call has a new one', async (_, line) => {
    const { refusal, post, log } = await serve(on((__, say) => say(line)));
    expect(await refusal('go')).toMatchObject({ status: 500, code: 'skill_invocation_error' });
    expect(log.some(({ message }) => message === 'the connection to the worker is given up')).toBe(true);
    expect(await (await post('other')).json()).toBe('fine');
  });

  it('results of runs that do not exist, and second results, change nothing', async () => {
    const { post, log } = await serve(
      on(({ id }, say) => {
        say({ t: 'result', id: id + 1000, value: 'stolen' });
        say({ t: 'event', id: id + 1000, seq: 1, kind: 'progress', payload: { message: '' } });
        say({ t: 'result', id, value: 'first' });
        say({ t: 'result', id, value: 'second' });
        say({ t: 'event', id, seq: 1, kind: 'progress', payload: { message: 'late' } });
        say({ t: 'error', id, error: { code: 'auth_error', message: 'late' } });
      }),
    );
    expect(await (await post('go')).json()).toBe('first');
    expect(await (await post('other')).json()).toBe('fine');
    expect(log.some(({ message }) => message === 'the worker spoke of a run that is not running')).toBe(true);
  });

  it('more events than may be unacknowledged end the run', async () => {
    const { post } = await serve(
      on(({ id }, say) => {
        // In one piece, so that they come faster than any can be taken.
        const events = Array.from({ length: 200 }, (_, at) => ({ t: 'event', id, seq: at + 1, kind: 'text_delta', payload: { text: 'x' } }));
        say(events.map((event) => JSON.stringify(event)).join('\n'));
      }),
    );
    const text = await (await post('go', {}, { headers: { 'content-type': 'application/json', accept: 'text/event-stream' } })).text();
    expect(text).toContain('event: failed');
  });

  it('a hello without the skills of the card is refused at the start, with what to do', async () => {
    const worker = await fakeWorker(() => {}, { t: 'hello', protocol: 'svc-worker/1', language: 'x', sdk: 'x', skills: ['go'] });
    await expect(serveWith(worker)).rejects.toThrow(/has no skill "other"; compile the project again/);
  });

  it('an address without a worker is reported', async () => {
    await expect(startSidecar({ dsl: DSL, worker: { url: 'https://127.0.0.1:1' } })).rejects.toThrow(/http:\/\/host:port/);
    await expect(startSidecar({ dsl: { dsl: 2 }, worker: { url: 'http://127.0.0.1:1' } })).rejects.toThrow(/compile the project again/);
  });
});

describe('runs in a worker', () => {
  it('get what they need to know, and their events are acknowledged', async () => {
    const { post, worker } = await serve((frame, say) => {
      if (frame.t === 'invoke') {
        for (let seq = 1; seq <= 40; seq += 1) say({ t: 'event', id: frame.id, seq, kind: 'progress', payload: { message: String(seq) } });
      } else if (frame.t === 'ack' && frame.seq === 40) say({ t: 'result', id: frame.id, value: null });
    });
    const text = await (
      await post('go', { n: 7 }, { headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-request-id': 'req-of-test' } })
    ).text();
    expect(text.match(/event: progress/g)).toHaveLength(40);
    const invoked = worker.heard.find((frame) => frame.t === 'invoke');
    expect(invoked).toMatchObject({ skill: 'go', args: { n: 7 }, run: { request_id: 'req-of-test', auth: {}, grant: null, deadline: expect.any(Number) } });
  });

  it('are cancelled when their caller leaves, and end by their own word', async () => {
    const { post, worker } = await serve(on(() => {}));
    const leaving = new AbortController();
    const left = post('go', {}, { signal: leaving.signal }).catch(() => 'left');
    await vi.waitFor(() => expect(worker.heard.some((frame) => frame.t === 'invoke')).toBe(true));
    leaving.abort();
    expect(await left).toBe('left');
    await vi.waitFor(() =>
      expect(worker.heard).toContainEqual({ t: 'cancel', id: 1, error: { code: 'cancelled_by_caller', message: 'cancelled by the caller', status: 499 } }),
    );
  });

  it('of idempotent skills are tried again when the connection was lost; others fail', async () => {
    let dropped = 0;
    const { post, refusal } = await serve((frame, say, socket) => {
      if (frame.t !== 'invoke') return;
      if (frame.skill === 'go' || dropped++ < 1) socket.destroy();
      else say({ t: 'result', id: frame.id, value: 'again' });
    });
    expect(await (await post('other')).json()).toBe('again');
    expect(await refusal('go')).toMatchObject({ status: 500, code: 'skill_invocation_error' });
  });

  it('errors keep code, status and issues; what the worker did not mean for the caller is hidden', async () => {
    const errors: Record<number, object> = {
      1: { code: 'auth_error', message: 'sign in', status: 402 },
      2: { code: 'skill_input_error', message: 'no', issues: [{ path: ['n'], code: 'custom', message: 'odd' }] },
      3: { code: 'unhandled_exception', message: 'the password is hunter2', log: 'at line 1' },
    };
    const { refusal, log } = await serve(on(({ id, args }, say) => say({ t: 'error', id, error: errors[Number(args['n'])] })));
    expect(await refusal('go', { n: 1 })).toMatchObject({ status: 402, code: 'auth_error', message: 'sign in' });
    expect(await refusal('go', { n: 2 })).toMatchObject({ status: 400, issues: [{ path: ['n'], message: 'odd' }] });
    expect((await refusal('go', { n: 3 })).message).not.toContain('hunter2');
    expect(log.some((entry) => entry['stack'] === 'at line 1')).toBe(true);
  });

  it('a worker that leaves its health unanswered is kept while a run in it has time left, and given up after three questions without one', async () => {
    const worker = await fakeWorker(
      on(() => {}),
      undefined,
      { stuck: true },
    );
    const { url, post, log } = await serveWith(worker);
    const ask = async () => expect((await fetch(`${url}/healthz`)).ok).toBe(false);
    const gone = () => log.find(({ message }) => message.startsWith('the worker is gone'));
    expect(await (await post('other')).json()).toBe('fine');
    const leaving = new AbortController();
    const held = post('go', {}, { signal: leaving.signal }).catch(() => 'left');
    await vi.waitFor(() => expect(worker.heard.filter((frame) => frame.t === 'invoke')).toHaveLength(2));
    for (let asked = 1; asked <= 4; asked += 1) await ask();
    expect(gone()).toBeUndefined();
    leaving.abort();
    expect(await held).toBe('left');
    await vi.waitFor(() => expect(worker.heard.some((frame) => frame.t === 'cancel')).toBe(true));
    await ask();
    expect(gone()?.['reason']).toMatch(/blocking its loop/);
    expect(await (await post('other')).json()).toBe('fine');
  });

  it('a worker that took long to load may be silent for as long', async () => {
    let later = 0;
    const clock = performance.now.bind(performance);
    const now = vi.spyOn(performance, 'now').mockImplementation(() => clock() + later);
    onTestFinished(() => now.mockRestore());
    const worker = await fakeWorker(
      on(() => {}),
      undefined,
      { stuck: true, loads: () => (later += 60_000) },
    );
    const { url, post, log } = await serveWith(worker);
    const ask = async () => expect((await fetch(`${url}/healthz`)).ok).toBe(false);
    const isGone = () => log.some(({ message }) => message.startsWith('the worker is gone'));
    expect(await (await post('other')).json()).toBe('fine');
    for (let asked = 1; asked <= 3; asked += 1) await ask();
    expect(isGone()).toBe(false);
    later += 60_000;
    await ask();
    expect(isGone()).toBe(true);
  });

  it('a worker that says nothing after the time of a skill was up is replaced once no run in it has time left', async () => {
    const worker = await fakeWorker(() => {}, undefined, { stuck: true });
    const dsl = { ...DSL, card: { ...DSL.card, skills: [skill('go', { timeout_seconds: 0.2 }), skill('other', { timeout_seconds: 7 })] } };
    const { refusal, log } = await serveWith(worker, { dsl });
    const isHeld = () => log.find(({ message }) => message.startsWith('the worker is held'));
    const longer = refusal('other', { n: 5 });
    expect(await refusal('go')).toMatchObject({ status: 504, code: 'skill_timeout' });
    expect(await longer).toMatchObject({ status: 504, code: 'skill_timeout' });
    expect(isHeld()).toBeUndefined();
    await vi.waitFor(() => expect(isHeld()).toMatchObject({ level: 'error' }), 30_000);
  });

  it('a clone gets its own secrets', async () => {
    const { update, worker } = await serve(on(() => {}));
    update({ secrets: { A: 'new' } });
    await vi.waitFor(() => expect(worker.heard).toContainEqual({ t: 'renew', secrets: { A: 'new' } }));
  });
});

describe('lines', () => {
  it('are found whatever the chunks, and too long ones are refused', () => {
    const lines: string[] = [];
    const feed = lineReader((line) => void lines.push(line), 10);
    for (const byte of Buffer.from('aé\n\nb\n')) feed(Buffer.from([byte]));
    feed(Buffer.from('c\nd\ne'));
    feed(Buffer.from('f\n'));
    expect(lines).toEqual(['aé', '', 'b', 'c', 'd', 'ef']);
    expect(() => feed(Buffer.from('x'.repeat(11)))).toThrow(RangeError);
  });
});
