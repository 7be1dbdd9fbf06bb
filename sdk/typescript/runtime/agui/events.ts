// A run's events as events of AG-UI. An event that the protocol does not have becomes a CUSTOM one under our
// own name.
import { EventType, PROTOCOL_VERSION, type AGUIEvent, type Interrupt } from '@ag-ui/core';
import {
  FailedPayload,
  ProgressPayload,
  QuestionPayload,
  ResultPayload,
  PlatformWaitPayload,
  ScopeRequestPayload,
  StatusPayload,
  TextDeltaPayload,
  ToolPayload,
} from '../../../../contract/wire/events.ts';
import { messageParts } from '../../authoring/task-message.ts';
import { aboutAccess, aboutWait } from '../called-waits.ts';
import type { PendingRequest } from '../pending.ts';
import type { Input } from './input.ts';

export type { AGUIEvent } from '@ag-ui/core';

export interface RunEvent {
  seq: number;
  kind: string;
  payload: unknown;
}

/** Member of the shared state that is ours; the rest is the client's and stays as it is. */
const STATE = 'svc';

export class Telling {
  readonly #input: Input;
  readonly #run: { runId: string; skill: string };
  readonly #hasState: boolean;
  /** Calls of tools that have begun and not ended. */
  readonly tools: Set<string>;
  /** The message that is being said. */
  #message: string | undefined;
  #said = false;

  constructor(input: Input, run: { runId: string; skill: string }, tools: ReadonlySet<string> = new Set()) {
    this.#input = input;
    this.#run = run;
    this.tools = new Set(tools);
    this.#hasState = input.state === undefined || input.state === null || isRecord(input.state);
  }

  static started({ threadId, runId }: Input): AGUIEvent {
    return { type: EventType.RUN_STARTED, threadId, runId, protocolVersion: PROTOCOL_VERSION };
  }

  begin(): AGUIEvent[] {
    const { runId: run_id, skill } = this.#run;
    const snapshot = { ...(isRecord(this.#input.state) ? this.#input.state : {}), [STATE]: { run_id, skill, status: 'running' } };
    return [Telling.started(this.#input), ...(this.#hasState ? [{ type: EventType.STATE_SNAPSHOT as const, snapshot }] : [])];
  }

  tell({ seq, kind, payload }: RunEvent): AGUIEvent[] {
    switch (kind) {
      case 'status': {
        const { state, skill } = StatusPayload.parse(payload);
        return this.#state({ status: state, skill });
      }
      case 'progress':
        return this.#state({ progress: ProgressPayload.parse(payload) });
      case 'text_delta':
        return this.#text(TextDeltaPayload.parse(payload).text, seq);
      case 'tool':
        return this.#tool(ToolPayload.parse(payload), seq);
      case 'result':
        return this.#succeeded(ResultPayload.parse(payload).result, seq);
      case 'failed':
        return this.#failed(FailedPayload.parse(payload));
      default:
        return [{ type: EventType.CUSTOM, name: kind, value: payload }];
    }
  }

  /** The run waits; the next run of the thread brings what it waits for. */
  interrupted(open: readonly PendingRequest[]): AGUIEvent[] {
    const outcome = { type: 'interrupt' as const, interrupts: open.map(toInterrupt) };
    return [...this.#endText(), ...this.#state({ status: 'waiting' }), { ...this.#finished(), outcome }];
  }

  #succeeded(result: unknown, seq: number): AGUIEvent[] {
    const words = this.#said ? '' : wordsOf(result);
    const end = { ...this.#finished(), ...(result !== null && { result }), outcome: { type: 'success' as const } };
    return [...this.#text(words, seq), ...this.#endText(), ...this.#endTools(seq), ...this.#state({ status: 'succeeded' }), end];
  }

  #failed({ detail: { code, message, request_id, issues } }: FailedPayload): AGUIEvent[] {
    const cancelled = code === 'cancelled_by_caller';
    const before = [...this.#endText(), ...this.#state({ status: cancelled ? 'cancelled' : 'failed' })];
    if (cancelled) return [...before, { ...this.#finished(), outcome: { type: 'cancelled' } }];
    return [...before, { type: EventType.RUN_ERROR, message, code, metadata: { svc: { request_id, ...(issues && { issues }) } } }];
  }

  #finished(): { type: EventType.RUN_FINISHED; threadId: string; runId: string } {
    const { threadId, runId } = this.#input;
    return { type: EventType.RUN_FINISHED, threadId, runId };
  }

  #text(delta: string, seq: number): AGUIEvent[] {
    if (delta === '') return [];
    const begun = this.#message;
    const messageId = begun ?? this.#id('msg', seq);
    this.#message = messageId;
    this.#said = true;
    const content: AGUIEvent = { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta };
    return begun === undefined ? [{ type: EventType.TEXT_MESSAGE_START, messageId, role: 'assistant' }, content] : [content];
  }

  #endText(): AGUIEvent[] {
    const messageId = this.#message;
    this.#message = undefined;
    return messageId === undefined ? [] : [{ type: EventType.TEXT_MESSAGE_END, messageId }];
  }

  #tool({ call_id: toolCallId, name: toolCallName, phase, summary }: ToolPayload, seq: number): AGUIEvent[] {
    const begin: AGUIEvent[] = [];
    if (!this.tools.has(toolCallId)) {
      this.tools.add(toolCallId);
      // What the tool was called with the skill does not say.
      begin.push(
        ...this.#endText(),
        { type: EventType.TOOL_CALL_START, toolCallId, toolCallName },
        { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: '{}' },
        { type: EventType.TOOL_CALL_END, toolCallId },
      );
    }
    return phase === 'started' ? begin : [...begin, this.#toolResult(toolCallId, summary ?? phase, seq)];
  }

  /** A call without a result would be the client's to make. */
  #endTools(seq: number): AGUIEvent[] {
    return Array.from(this.tools, (id) => this.#toolResult(id, 'finished', seq));
  }

  #toolResult(toolCallId: string, content: string, seq: number): AGUIEvent {
    this.tools.delete(toolCallId);
    return { type: EventType.TOOL_CALL_RESULT, messageId: this.#id('tool', seq, toolCallId), toolCallId, content, role: 'tool' };
  }

  #state(members: Readonly<Record<string, unknown>>): AGUIEvent[] {
    if (!this.#hasState) return [];
    const delta = Object.entries(members).map(([name, value]) => ({ op: 'add' as const, path: `/${STATE}/${name}`, value }));
    return [{ type: EventType.STATE_DELTA, delta }];
  }

  #id(kind: string, seq: number, of = ''): string {
    return [this.#run.runId, kind, String(seq), ...(of === '' ? [] : [of])].join('-');
  }
}

type ToolPayload = ReturnType<typeof ToolPayload.parse>;
type FailedPayload = ReturnType<typeof FailedPayload.parse>;

function toInterrupt({ id, kind, payload }: PendingRequest): Interrupt {
  if (kind === 'question') {
    const { prompt, expires_at, schema } = QuestionPayload.parse(payload);
    return { id, reason: 'input_required', message: prompt, responseSchema: schema ?? { type: 'string' }, expiresAt: expires_at };
  }
  if (kind === 'platform_wait') {
    const wait = PlatformWaitPayload.parse(payload);
    return {
      id,
      reason: 'svc:platform_wait',
      message: aboutWait(wait),
      responseSchema: { type: 'object' },
      expiresAt: wait.expires_at,
      metadata: { [STATE]: wait },
    };
  }
  const request = ScopeRequestPayload.parse(payload);
  return {
    id,
    reason: 'svc:access',
    message: aboutAccess(request),
    responseSchema: { type: 'object' },
    expiresAt: request.expires_at,
    metadata: { [STATE]: request },
  };
}

/** A result where nothing was said on the way: clients that show a conversation show it. */
function wordsOf(result: unknown): string {
  if (result === null || result === undefined) return '';
  if (typeof result === 'string') return result;
  const texts = messageParts(result)?.flatMap(({ text }) => (text === undefined ? [] : [text])) ?? [];
  return texts.length > 0 ? texts.join('\n') : JSON.stringify(result);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
