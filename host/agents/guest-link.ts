// One machine as the host speaks with it: the agent's process, its events, its egress, requests to its HTTP
// server.
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Machine } from '../microvm/port.ts';
import { EMULATED, egressPort, guestPaths, type AgentConfig, type ControlRequest, type Identity } from '../guest/config.ts';
import { proxyEnv } from '../guest/egress.ts';
import { lineSplitter, parseJson } from '#drivers/runtime/lines.ts';
import { RuntimeError, type LogLine } from '#drivers/runtime/port.ts';
import { ControlReply, GuestEvent } from '#drivers/runtime/wire.ts';

export interface LinkOptions {
  onLog(line: Omit<LogLine, 'seq'>): void;
  onEgress(stream: Duplex): void;
  /** Out of service by its own health(), or undefined: well again. */
  onHealth?(reason: string | undefined): void;
  /** The agent's process ended while its machine runs. */
  onExit(code: number): void;
  controlPlane: string | undefined;
  accelerator(): Promise<'kvm' | 'tcg'>;
  /** PEM, where agents need more certificate authorities than Node's own. */
  ca: string | undefined;
}

export interface GuestLink {
  /**
   * Starts the agent's process, or sends the preloaded one its identity; resolves when its HTTP server
   * listens.
   */
  launch(identity: Identity, signal: AbortSignal, from?: 'preloaded'): Promise<void>;
  /**
   * Starts a process that has the SDK and waits to be launched, here or in a clone; resolves when it does.
   */
  preload(signal: AbortSignal): Promise<void>;
  /**
   * Takes up the process of an adopted or cloned machine, which must be awake; nothing when that was done.
   */
  attach(): void;
  /** Whether its process answers at all. */
  alive(timeoutMs: number): Promise<boolean>;
  control(request: ControlRequest, timeoutMs: number): Promise<void>;
  /** Runs the author's startup hook. @throws RuntimeError startup_failed with the author's own message */
  startup(timeoutMs: number): Promise<void>;
  /**
   * Asks the guest how many runs and requests need the machine awake; everything that was sent before counts.
   */
  working(timeoutMs: number): Promise<number>;
  request(method: string, path: string, options?: { headers?: Record<string, string>; body?: string; timeoutMs?: number }): Promise<GuestAnswer>;
  /** Runs and requests that need the machine awake for longer than a moment, as the guest says. */
  readonly busy: number;
  /** Runs that wait for a person, as the guest says. */
  readonly waiting: number;
  /** When the guest last said that nothing does; milliseconds since the epoch. */
  readonly quietAt: number;
}
interface GuestAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

type Outcome = { reached: 'preloaded' | 'ready' } | { failed: string };

const processName = 'agent';
/**
 * The second turns off Node's check of its stack of async ids: code that the watchdog ends in a timer leaves
 * it as it was, and the check would end the process.
 */
const flags = ['--disable-warning=ExperimentalWarning', '--no-force-async-hooks-checks'];
const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/home/agent', NODE_ENV: 'production' };
const maxAnswer = 4 * 1_048_576;
const maxEventStreams = 4;
const maxReason = 2_000;

/** Arguments of Node for the agent's process. */
export function agentProgram(accelerator: 'kvm' | 'tcg', entry: string = guestPaths.entry): string[] {
  return [...flags, entry, ...(accelerator === 'tcg' ? [EMULATED] : [])];
}

export function linkGuest(machine: Machine, options: LinkOptions): GuestLink {
  let busy = 0;
  let waiting = 0;
  let quietAt = 0;
  let eventStreams = 0;
  let attached = false;
  const starts = new Set<(outcome: Outcome) => void>();
  const settle = (outcome: Outcome): void => starts.forEach((done) => done(outcome));

  const onEvent = (line: string): void => {
    const parsed = GuestEvent.safeParse(parseJson(line));
    if (!parsed.success) return;
    const event = parsed.data;
    if (event.t === 'log') options.onLog({ at: Date.now(), stream: event.s, text: event.x });
    else if (event.t === 'busy') {
      busy = event.n;
      waiting = event.w;
      if (busy === 0) quietAt = performance.now();
    } else if (event.t === 'health') options.onHealth?.(event.ok ? undefined : event.reason.slice(0, 500));
    else if (event.t === 'failed') settle({ failed: event.message });
    else settle({ reached: event.t });
  };
  machine.serve('egress', (stream) => options.onEgress(stream));
  machine.serve('events', (stream) => {
    stream.on('error', () => stream.destroy());
    if (eventStreams >= maxEventStreams) return void stream.destroy();
    eventStreams += 1;
    stream.once('close', () => (eventStreams -= 1));
    const lines = lineSplitter(onEvent);
    stream.on('data', (chunk: Buffer) => lines.push(chunk));
  });

  /** What the process writes past our capture: the engine's own last words, child programs. */
  const outputLines = () => {
    const split = (stream: 'stdout' | 'stderr') => lineSplitter((text) => options.onLog({ at: Date.now(), stream, text }), 16_384);
    const lines = { stdout: split('stdout'), stderr: split('stderr') };
    return { onOutput: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => lines[stream].push(chunk), end: () => (lines.stdout.end(), lines.stderr.end()) };
  };
  const follow = (running: Promise<number>, end: () => void): void => {
    running.then(
      (code) => {
        end();
        settle({ failed: `the agent's process ended with code ${code} before it listened` });
        options.onExit(code);
      },
      () => void (attached = false), // the machine itself ended; its `stopped` says so
    );
  };

  async function say(request: ControlRequest, timeoutMs: number): Promise<ControlReply> {
    const stream = await machine.connect('agent');
    return within(timeoutMs, stream, readReply(stream, JSON.stringify(request)));
  }
  async function order(request: ControlRequest, timeoutMs: number): Promise<ControlReply> {
    const reply = await say(request, timeoutMs);
    if (!reply.ok) throw new RuntimeError('internal', `The agent's process refused: ${reply.message ?? 'no reason given'}`);
    return reply;
  }

  function reaching(state: 'preloaded' | 'ready', signal: AbortSignal): Promise<void> {
    const reached = new Promise<void>((resolve, reject) => {
      const done = (outcome: Outcome): void => {
        if ('reached' in outcome && outcome.reached !== state) return;
        starts.delete(done);
        if ('reached' in outcome) resolve();
        else reject(new RuntimeError('start_failed', `The agent did not start: ${outcome.failed}`));
      };
      starts.add(done);
      signal.addEventListener('abort', () => done({ failed: 'it took too long' }), { once: true });
    });
    reached.catch(() => undefined);
    return reached;
  }

  const program = async (): Promise<string[]> => agentProgram(await options.accelerator());

  return {
    get busy() {
      return busy;
    },
    get waiting() {
      return waiting;
    },
    get quietAt() {
      return quietAt;
    },
    async launch(identity, signal, from) {
      const config: AgentConfig = {
        ...identity,
        bundle: guestPaths.bundle,
        app: guestPaths.app,
        http: guestPaths.http,
        control: guestPaths.control,
        events: guestPaths.events,
        egress: guestPaths.egress,
        egress_port: egressPort,
        proxy_env: proxyEnv(egressPort, options.controlPlane),
        ...(options.ca === undefined ? {} : { ca: options.ca }),
      };
      const listening = reaching('ready', signal);
      const { onOutput, end } = outputLines();
      const stdin = oneChunk(JSON.stringify(config));
      attached = true;
      if (from === 'preloaded') follow(machine.attach(processName, { stdin, onOutput }), end);
      else {
        const env = { ...environment, ...identity.env };
        follow(machine.exec(guestPaths.node, await program(), { name: processName, cwd: guestPaths.app, env, stdin, onOutput }), end);
      }
      await listening;
    },
    async preload(signal) {
      const waits = reaching('preloaded', signal);
      const { onOutput, end } = outputLines();
      attached = true;
      follow(
        machine.exec(guestPaths.node, [...(await program()), '--preload'], { name: processName, cwd: '/', env: environment, stdin: nothingYet(), onOutput }),
        end,
      );
      await waits;
    },
    attach() {
      if (attached) return;
      attached = true;
      const { onOutput, end } = outputLines();
      follow(machine.attach(processName, { onOutput }), end);
    },
    async control(request, timeoutMs) {
      await order(request, timeoutMs);
    },
    async alive(timeoutMs) {
      // Not over HTTP: there it would be one of the calls that wait for a skill which blocks the process.
      return say({ op: 'activity' }, timeoutMs).then(
        () => true,
        () => false,
      );
    },
    async startup(timeoutMs) {
      const { ok, message = 'no reason given' } = await say({ op: 'startup' }, timeoutMs);
      if (!ok) throw new RuntimeError('startup_failed', `startup() failed: ${message.slice(0, maxReason)}\nFix it and deploy again; its stack is in the log.`);
    },
    async working(timeoutMs) {
      return (await order({ op: 'activity' }, timeoutMs)).working ?? 1;
    },
    async request(method, path, { headers = {}, body, timeoutMs = 30_000 } = {}) {
      const stream = await machine.connect('http');
      return within(timeoutMs, stream, exchange(stream, method, path, headers, body));
    },
  };
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Standard input that stays open: in a clone, the host writes the identity to it. */
async function* nothingYet(): AsyncGenerator<Uint8Array> {
  await new Promise<never>(() => undefined);
}

function readReply(stream: Duplex, line: string): Promise<ControlReply> {
  return new Promise((resolve, reject) => {
    const lines = lineSplitter((text) => {
      const parsed = ControlReply.safeParse(parseJson(text));
      if (parsed.success) resolve(parsed.data);
      else reject(new RuntimeError('internal', "The agent's process answered nonsense."));
    });
    stream.on('data', (chunk: Buffer) => lines.push(chunk));
    stream.on('error', reject);
    stream.on('close', () => reject(new RuntimeError('internal', "The agent's process closed the connection.")));
    stream.write(`${line}\n`);
  });
}

function exchange(stream: Duplex, method: string, path: string, headers: Record<string, string>, body: string | undefined): Promise<GuestAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = httpRequest({ createConnection: () => stream, method, path, headers: { host: 'agent', connection: 'close', ...length, ...headers } });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > maxAnswer) incoming.destroy(new RuntimeError('start_failed', 'The agent answered with more than 4 MiB.'));
      });
      incoming.on('error', reject);
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text }));
    });
    outgoing.end(body);
  });
}

/** The outcome, or an error after the time; the stream is over either way. */
async function within<T>(ms: number, stream: Duplex, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => stream.destroy(new RuntimeError('unhealthy', `The agent did not answer within ${ms} ms.`)), ms);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    stream.destroy();
  }
}
