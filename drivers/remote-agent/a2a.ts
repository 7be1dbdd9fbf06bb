// A call of a skill as a task of A2A: its message, its updates, its questions, its result.
import { Role, TaskState, type Artifact, type Message, type Part, type StreamResponse, type TaskStatus } from '@a2a-js/sdk';
import { type Client, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { setTimeout as delay } from 'node:timers/promises';
import { exactly } from './exact.ts';
import { wireCard } from './a2a-card.ts';
import { cut } from './names.ts';
import { faultOf, type Network } from './network.ts';
import { type Credentials, type RemoteAgent, type RemoteCall, type RemoteCard, RemoteFault } from './port.ts';
import { type Piece, remoteAnswerOf } from './answer.ts';
import { record, text } from './text.ts';

const ENDED: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]);
const MAX_POLL_MS = 5_000;
/** Of all artifacts and messages of one task. */
const MAX_PARTS = 4_096;
const CANCEL_MS = 5_000;

type Card = Pick<RemoteCard, 'protocol' | 'endpoint' | 'source'>;

export function a2aAgent(network: Network, card: Card): RemoteAgent {
  const described = wireCard(card.source);
  const origin = new URL(card.endpoint).origin;
  const streams = described.capabilities?.streaming === true;
  /** It has no state of calls; replaced only for other credentials. */
  let made: { of: Credentials; client: Promise<Client> } | undefined;
  const clientFor = (credentials: Credentials): Promise<Client> => {
    if (made?.of === credentials) return made.client;
    const options = { fetchImpl: exactly(network.fetchFor(origin, credentials)), legacyCompat: { enabled: true } };
    const transports = [new JsonRpcTransportFactory(options), new RestTransportFactory(options)];
    made = { of: credentials, client: new ClientFactory({ transports }).createFromAgentCard(described) };
    return made.client;
  };
  return {
    async call(call) {
      const task = new Conversation(await clientFor(call.credentials), call, streams);
      try {
        return await task.outcome(card.protocol === 'svc');
      } catch (error) {
        if (call.signal.aborted) void task.cancel();
        if (error instanceof RemoteFault) throw error;
        throw asFault(error, new URL(card.endpoint), call.signal);
      }
    },
    close: () => Promise.resolve(),
  };
}

class Conversation {
  readonly #client: Client;
  readonly #call: RemoteCall;
  readonly #streams: boolean;
  readonly #artifacts = new Map<string, Artifact>();
  #taskId = '';
  #contextId = '';
  #status: TaskStatus | undefined;
  #reply: Message | undefined;
  #parts = 0;

  constructor(client: Client, call: RemoteCall, streams: boolean) {
    this.#client = client;
    this.#call = call;
    this.#streams = streams;
  }

  async outcome(ours: boolean): Promise<unknown> {
    await this.#send(firstParts(this.#call, ours), { skill: this.#call.skill.remote });
    for (;;) {
      if (this.#reply) return ours ? valueOf(piecesOf(this.#reply.parts)) : remoteAnswerOf(piecesOf(this.#reply.parts), this.#call.listener);
      const state = this.#status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
      if (state === TaskState.TASK_STATE_COMPLETED) return this.#result(ours);
      if (ENDED.has(state)) throw this.#failure();
      if (state === TaskState.TASK_STATE_AUTH_REQUIRED) throw new RemoteFault('auth_required', this.#says('The agent asks for further permission'));
      if (state === TaskState.TASK_STATE_INPUT_REQUIRED) await this.#answer();
      else await this.#poll();
    }
  }

  /** Its work is not wanted any more; whether it listens is its own affair. */
  async cancel(): Promise<void> {
    if (this.#taskId === '') return;
    await this.#client.cancelTask({ id: this.#taskId, tenant: '', metadata: {} }, { signal: AbortSignal.timeout(CANCEL_MS) }).catch(() => undefined);
  }

  async #send(parts: Part[], metadata: Record<string, unknown> | undefined): Promise<void> {
    const message: Message = {
      messageId: crypto.randomUUID(),
      contextId: this.#contextId,
      taskId: this.#taskId,
      role: Role.ROLE_USER,
      parts,
      metadata,
      extensions: [],
      referenceTaskIds: [],
    };
    const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: false };
    const request = { tenant: '', message, configuration, metadata: undefined };
    this.#status = undefined;
    const { signal } = this.#call;
    if (this.#streams) {
      // Such a stream begins with the task as it was before the answer.
      let before = message.taskId !== '';
      for await (const update of this.#client.sendMessageStream(request, { signal })) {
        await this.#take(update);
        if (before && update.payload?.$case === 'task') continue;
        before = false;
        // A stream may stay open while its task waits for an answer.
        if (this.#rests()) return;
      }
      return;
    }
    const answer = await this.#client.sendMessage(request, { signal });
    await this.#take('messageId' in answer ? { payload: { $case: 'message', value: answer } } : { payload: { $case: 'task', value: answer } });
  }

  #rests(): boolean {
    const state = this.#status?.state;
    if (state === undefined) return this.#reply !== undefined;
    return ENDED.has(state) || state === TaskState.TASK_STATE_INPUT_REQUIRED || state === TaskState.TASK_STATE_AUTH_REQUIRED;
  }

  async #take({ payload }: StreamResponse): Promise<void> {
    if (!payload) return;
    if (payload.$case === 'message') return void (this.#reply = payload.value);
    if (payload.$case === 'task') {
      const { id, contextId, status, artifacts } = payload.value;
      this.#taskId = id;
      this.#contextId = contextId;
      this.#status = status;
      for (const artifact of artifacts) this.#keep(artifact, false);
      return;
    }
    this.#taskId ||= payload.value.taskId;
    this.#contextId ||= payload.value.contextId;
    if (payload.$case === 'statusUpdate') {
      this.#status = payload.value.status;
      const news = wordsIn(payload.value.status?.message);
      if (payload.value.status?.state === TaskState.TASK_STATE_WORKING && news !== '')
        await this.#call.listener.progress(cut(news, 2_000), doneIn(payload.value));
      return;
    }
    const { artifact, append } = payload.value;
    if (!artifact) return;
    this.#keep(artifact, append);
    for (const { content } of artifact.parts) if (content?.$case === 'text') await this.#call.listener.text(content.value);
  }

  #keep(artifact: Artifact, append: boolean): void {
    this.#parts += artifact.parts.length;
    if (this.#parts > MAX_PARTS) throw new RemoteFault('remote_too_large', `The agent's answer has more than ${MAX_PARTS} parts`);
    const known = append ? this.#artifacts.get(artifact.artifactId) : undefined;
    this.#artifacts.set(artifact.artifactId, known ? { ...known, parts: [...known.parts, ...artifact.parts] } : artifact);
  }

  /** Pieces of streamed text are one text. */
  async #result(ours: boolean): Promise<unknown> {
    const artifacts = [...this.#artifacts.values()];
    if (ours) return valueOf(piecesOf(artifacts.find(({ name }) => name === 'result')?.parts ?? this.#status?.message?.parts ?? []));
    const pieces = artifacts.flatMap(({ parts }) => joined(piecesOf(parts)));
    return remoteAnswerOf([...pieces, ...piecesOf(this.#status?.message?.parts ?? [])], this.#call.listener);
  }

  async #answer(): Promise<void> {
    const question = this.#status?.message;
    const schema = record(question?.metadata)['schema'];
    const form = typeof schema === 'object' && schema !== null ? record(schema) : undefined;
    const answer = await this.#call.listener.ask(this.#says('The agent asks for more'), form);
    await this.#send([form ? dataPart(JSON.parse(answer)) : textPart(answer)], undefined);
  }

  async #poll(): Promise<void> {
    if (this.#taskId === '') throw new RemoteFault('remote_failed', 'The agent ended its answer before its task had begun');
    for (let pause = 250; !this.#rests(); pause = Math.min(pause * 2, MAX_POLL_MS)) {
      await delay(pause, undefined, { signal: this.#call.signal });
      await this.#take({ payload: { $case: 'task', value: await this.#client.getTask({ id: this.#taskId, tenant: '' }, { signal: this.#call.signal }) } });
    }
  }

  #failure(): RemoteFault {
    return new RemoteFault('remote_failed', this.#says('The agent did not complete the task and said no reason'));
  }

  #says(otherwise: string): string {
    return cut(wordsIn(this.#status?.message) || otherwise, 4_000);
  }
}

function firstParts({ skill, args }: RemoteCall, ours: boolean): Part[] {
  if (ours) return [dataPart({ skill: skill.remote, args })];
  const words = text(args['text']);
  const parts = [...(words === undefined ? [] : [textPart(words)]), ...(args['data'] === undefined ? [] : [dataPart(args['data'])])];
  return parts.length > 0 ? parts : [textPart('')];
}

function piecesOf(parts: readonly Part[]): Piece[] {
  return parts.flatMap(({ content, filename, mediaType }): Piece[] => {
    const name = filename || 'file';
    const mimeType = mediaType || 'application/octet-stream';
    if (content?.$case === 'text') return [{ kind: 'text', text: content.value }];
    if (content?.$case === 'data') return [{ kind: 'data', value: content.value }];
    if (content?.$case === 'url') return [{ kind: 'link', name, uri: content.value, mimeType }];
    return content ? [{ kind: 'bytes', name, data: content.value, mimeType }] : [];
  });
}

function joined(pieces: readonly Piece[]): Piece[] {
  const words = pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.text] : []));
  return [...(words.length > 0 ? [{ kind: 'text' as const, text: words.join('') }] : []), ...pieces.filter(({ kind }) => kind !== 'text')];
}

/** Of an agent of ours: its result as it is; the artifact holds one piece, or none for a null. */
function valueOf([piece]: readonly Piece[]): unknown {
  if (piece?.kind === 'text') return piece.text;
  return piece?.kind === 'data' ? (piece.value as unknown) : null;
}

function wordsIn(message: Message | undefined): string {
  return (message?.parts ?? []).flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n');
}

function doneIn({ metadata }: { metadata: Record<string, unknown> | undefined }): { progress: number; total?: number } | undefined {
  const { progress, total } = record(metadata);
  if (typeof progress !== 'number') return undefined;
  return typeof total === 'number' ? { progress, total } : { progress };
}

function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}

function dataPart(value: unknown): Part {
  return { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: 'application/json' };
}

/** The client wraps what its fetch threw, and says the status of a refusal in words. */
function asFault(error: unknown, url: URL, signal: AbortSignal): RemoteFault {
  const known = faultOf(error, url, signal);
  if (known.code !== 'remote_unreachable' || !(error instanceof Error)) return known;
  if (/\b401\b|unauthori[sz]ed/i.test(error.message))
    return new RemoteFault('auth_required', `${url.origin} accepts no call with the credentials that are configured`);
  return error.name === 'TypeError' ? known : new RemoteFault('remote_failed', cut(error.message, 1_000));
}
