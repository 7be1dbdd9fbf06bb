// Calls a skill of an agent over HTTP: POST /invoke/{skill}, whose answer is read as an event stream where
// the agent gives one.
import { parseExact } from '../../../contract/wire/exact-json.ts';
import { AgentErrorIssue } from '../../../contract/wire/errors.ts';
import { AgentEvent, ArtifactRef, type CalledWait } from '../../../contract/wire/events.ts';
import { readEvents } from '../../../contract/wire/event-stream.ts';
import { HEADER } from '../../../contract/wire/headers.ts';
import { readUncheckedGrant } from '../../../contract/crypto/grant-token.ts';
import type { CallOptions, CallResult } from '../authoring/context.ts';
import { CallFailed, SvcError } from '../authoring/errors.ts';
import { z } from 'zod';
import { after, type Timer } from '../runtime/timer.ts';
import { readAgentCard } from './agent-card.ts';
import { CallWaits, type KnownWaits } from './call-waits.ts';

export const CALL_TIMEOUT_SECONDS = 60;
/** Of one answer: more is refused, never cut. */
export const MAX_ANSWER_LENGTH = 64 * 1024 * 1024;
export const MAX_EVENTS = 10_000;
/** Kinds of events that say that a person is asked something. */
const ASKS: ReadonlySet<string> = new Set(['question', 'scope_request', 'platform_wait']);

export interface A2ACallOptions extends CallOptions {
  /** Ends the call; its reason is thrown. */
  signal?: AbortSignal;
  /**
   * `agent/skill` of the calls that led here, for callers in memory; over HTTP the run's credential says so.
   */
  chain?: readonly string[];
  /**
   * The called agent, of the same platform, waits for a person, or continues, as the platform knows it: the
   * call's time does not pass meanwhile.
   */
  onWait?: (waits: boolean) => void;
  /**
   * What the called agent, of the same platform, and those that it called ask the person for whom all work,
   * as the platform keeps it.
   */
  onAsked?: (open: readonly CalledWait[]) => void;
}

/** What a run calls other agents with; over HTTP or in memory. */
export interface AgentCaller {
  call(target: string, skill: string, args: Record<string, unknown>, options?: A2ACallOptions): Promise<CallResult>;
}

export interface A2AClientOptions {
  /** Where an agent of this name is; without it targets are URLs. @throws CallFailed */
  locate?: (name: string, signal: AbortSignal) => Promise<string>;
  /** The bearer to show at an address, if any; it is asked for each call. */
  bearer?: (url: URL) => string | undefined;
  /**
   * What the platform knows of the called run's waits. Absent: a call has the time that it was given,
   * whatever its agent says.
   */
  waits?: (runId: string) => Promise<KnownWaits>;
}

const Refusal = z.object({
  detail: z.object({
    code: z.string(),
    message: z.string(),
    issues: z.array(AgentErrorIssue).optional().catch(undefined),
    wait_id: z.string().max(64).optional().catch(undefined),
  }),
});
const Failed = z.object({ status: z.int(), detail: Refusal.shape.detail });

/** `new A2AClient().call('https://greeter.example.com', 'greet', { name: 'Ada' })` */
export class A2AClient implements AgentCaller {
  readonly #options: A2AClientOptions;
  constructor(options: A2AClientOptions = {}) {
    this.#options = options;
  }

  /**
   * @param target an agent's URL, or its name where the client knows where agents are
   * @throws CallFailed with the agent's own code; `call_timeout`, `unreachable`, `bad_answer` are this
   * client's
   */
  async call(target: string, skill: string, args: Record<string, unknown>, options: A2ACallOptions = {}): Promise<CallResult> {
    const seconds = options.timeoutSeconds ?? CALL_TIMEOUT_SECONDS;
    const clock = new CallClock(seconds * 1000);
    const signal = options.signal ? AbortSignal.any([options.signal, clock.signal]) : clock.signal;
    let called: string | undefined;
    const { waits: look } = this.#options;
    const waits = new CallWaits({
      look: async () => (called === undefined || look === undefined ? { waits: false, open: [] } : look(called)),
      known: ({ waits: now, open }) => {
        if (now ? clock.stop() : clock.start()) options.onWait?.(now);
        if (now) options.onAsked?.(open);
      },
    });
    const hears: Hears = {
      begun: (runId) => void (called = runId),
      waits: (now) => waits.said(now),
      asked: () => waits.asked(),
    };
    try {
      return await this.#call(target, skill, args, options.grant ?? null, signal, hears);
    } catch (error) {
      if (options.signal?.aborted) throw options.signal.reason;
      if (clock.signal.aborted) throw new CallFailed(`${target}/${skill} did not answer within ${seconds} s`, { code: 'call_timeout', status: 0 });
      if (error instanceof SvcError) throw error;
      // fetch's own words name addresses and ports; they are for the log.
      throw new CallFailed(`${target} cannot be reached`, { code: 'unreachable', status: 0 }, { cause: error });
    } finally {
      waits.said(false);
      clock.stop();
    }
  }

  /** The agent's A2A card, believed only where the platform's signature on it verifies. @throws CallFailed */
  async card(target: string, options: Pick<A2ACallOptions, 'signal'> = {}): Promise<Record<string, unknown>> {
    const signal = options.signal ?? AbortSignal.timeout(CALL_TIMEOUT_SECONDS * 1000);
    const base = await this.#urlOf(target, signal);
    return await readAgentCard(base.href, { signal });
  }

  async #call(target: string, skill: string, args: Record<string, unknown>, grant: string | null, signal: AbortSignal, hears: Hears): Promise<CallResult> {
    const base = await this.#urlOf(target, signal);
    const url = new URL(`${base.pathname.replace(/\/$/, '')}/invoke/${encodeURIComponent(skill)}`, base);
    const bearer = this.#options.bearer?.(url);
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(args),
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream, application/json',
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(grant !== null && { [HEADER.grant]: grant }),
      },
      // A redirect would send the grant and the credential to another server.
      redirect: 'manual',
      signal,
    });
    const grantId = (grant === null ? undefined : readUncheckedGrant(grant)?.grant_id) ?? null;
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok) throw await refusal(response, target, skill);
    if (type.startsWith('text/event-stream') && response.body) {
      hears.begun(response.headers.get(HEADER.runId) ?? undefined);
      // Another platform's agent has the time that it was given.
      return { ...(await collect(response.body, target, skill, bearer === undefined ? DEAF : hears)), grantId };
    }
    return { result: parse(await bounded(response, target), target), events: [], artifacts: [], grantId };
  }

  async #urlOf(target: string, signal: AbortSignal): Promise<URL> {
    const url = URL.parse(target);
    if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
    if (!this.#options.locate)
      throw new CallFailed(`"${target}" is not a URL, and no platform is attached that could look up its name`, { code: 'agent_not_found', status: 404 });
    return new URL(await this.#options.locate(target, signal));
  }
}

async function refusal(response: Response, target: string, skill: string): Promise<CallFailed> {
  const { status } = response;
  const body = Refusal.safeParse(tryParse(await bounded(response, target)));
  if (body.success) return failure(target, skill, status, body.data.detail);
  return new CallFailed(`${target}/${skill} answered ${status} without saying why`, {
    code: status >= 300 && status < 400 ? 'redirected' : 'bad_answer',
    status,
  });
}

function failure(target: string, skill: string, status: number, { code, message, issues, wait_id }: z.infer<typeof Refusal>['detail']): CallFailed {
  const waitId = status === 409 && code === 'handoff_pending' ? wait_id : undefined;
  return new CallFailed(`${target}/${skill}: ${message}`, { code, status, heldBy: waitId, ...(issues && { issues }) });
}

/** The time of a call, which stands while the called agent waits for a person. */
class CallClock {
  readonly #controller = new AbortController();
  #leftMs: number;
  #runs: { timer: Timer; since: number } | undefined;

  constructor(ms: number) {
    this.#leftMs = ms;
    this.start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** False: it stands already. */
  stop(): boolean {
    if (!this.#runs) return false;
    this.#runs.timer.cancel();
    this.#leftMs = Math.max(1, this.#leftMs - (performance.now() - this.#runs.since));
    this.#runs = undefined;
    return true;
  }

  /** False: it runs already. */
  start(): boolean {
    if (this.#runs) return false;
    this.#runs = { timer: after(this.#leftMs, () => this.#controller.abort()), since: performance.now() };
    return true;
  }
}

interface Hears {
  begun: (runId: string | undefined) => void;
  waits: (now: boolean) => void;
  asked: () => void;
}
const DEAF: Hears = { begun: () => undefined, waits: () => undefined, asked: () => undefined };

/** Every event but the stream's own bookkeeping; the last one is the outcome. */
async function collect(
  body: AsyncIterable<Uint8Array>,
  target: string,
  skill: string,
  { waits, asked }: Pick<Hears, 'waits' | 'asked'>,
): Promise<Omit<CallResult, 'grantId'>> {
  const events: AgentEvent[] = [];
  const artifacts: ArtifactRef[] = [];
  let length = 0;
  for await (const { data } of readEvents(body, { maxLength: MAX_ANSWER_LENGTH })) {
    length += data.length;
    if (length > MAX_ANSWER_LENGTH || events.length >= MAX_EVENTS) throw tooLarge(target);
    const event = AgentEvent.safeParse(tryParse(data));
    if (!event.success) throw new CallFailed(`${target} sent an event that is none`, { code: 'bad_answer', status: 200 });
    const { kind, payload } = event.data;
    if (kind === 'result') return { result: payload['result'] ?? null, events, artifacts };
    if (kind === 'failed') {
      const failed = Failed.safeParse(payload);
      if (failed.success) throw failure(target, skill, failed.data.status, failed.data.detail);
      throw new CallFailed(`${target}/${skill} failed without saying why`, { code: 'bad_answer', status: 200 });
    }
    if (kind === 'status') waits(payload['state'] === 'waiting');
    if (ASKS.has(kind)) asked();
    if (kind === 'artifact') artifacts.push(...takeArtifact(payload));
    events.push(event.data);
  }
  throw new CallFailed(`${target}/${skill} broke off before its result`, { code: 'unreachable', status: 0 });
}

function takeArtifact(payload: unknown): ArtifactRef[] {
  const artifact = ArtifactRef.safeParse(payload);
  return artifact.success ? [artifact.data] : [];
}

async function bounded(response: Response, target: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_ANSWER_LENGTH) throw tooLarge(target);
  }
  return text + decoder.decode();
}

function tooLarge(target: string): CallFailed {
  return new CallFailed(`${target} answered more than is taken (${MAX_ANSWER_LENGTH} characters, ${MAX_EVENTS} events)`, {
    code: 'answer_too_large',
    status: 200,
  });
}

function parse(text: string, target: string): unknown {
  const value = tryParse(text);
  if (value === undefined) throw new CallFailed(`${target} did not answer with JSON`, { code: 'bad_answer', status: 200 });
  return value;
}

function tryParse(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
