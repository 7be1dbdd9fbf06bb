// Reports a framework's run to the caller, and asks for its approvals.
import { ARGUMENTS_SHA256 } from '../../../contract/wire/events.ts';
import { sha256Hex } from '../../../contract/crypto/sha256.ts';
import type { RunContext } from '../index.ts';

const MAX_SUMMARY = 500;
/** A run may have twenty questions open. */
const AT_ONCE = 16;
const APPROVAL = {
  type: 'object',
  properties: { approved: { type: 'boolean', title: 'Approve' }, reason: { type: 'string', title: 'Reason' } },
  required: ['approved'],
};

export interface Decision {
  approved: boolean;
  /** Of the person; may be empty. */
  reason: string;
}

/** Asks the person whether a tool may be called. @throws QuestionTimeout, NobodyToAsk */
export async function approval(ctx: RunContext, name: string, args: unknown, seconds: number): Promise<Decision> {
  const text = shown(args);
  const schema = { ...APPROVAL, [ARGUMENTS_SHA256]: sha256Hex(text) };
  const reply = record(jsonOf(await ctx.ask(`May the agent call ${name} with ${text}?`, seconds, { schema })));
  return { approved: reply['approved'] === true, reason: String(reply['reason'] ?? '') };
}

export function toolStarted(ctx: RunContext, id: unknown, name: unknown, args?: unknown): Promise<void> {
  return tool(ctx, 'started', { id, name, about: args });
}
export function toolFinished(ctx: RunContext, id: unknown, name: unknown, output?: unknown): Promise<void> {
  return tool(ctx, 'finished', { id, name, about: output });
}
export function toolFailed(ctx: RunContext, id: unknown, name: unknown, reason?: unknown): Promise<void> {
  return tool(ctx, 'failed', { id, name, about: reason });
}
export function handedOff(ctx: RunContext, from: unknown, to: unknown): Promise<void> {
  return ctx.emitEvent({ kind: 'handoff', payload: { from, to } });
}

function tool(ctx: RunContext, phase: string, { id, name, about }: { id: unknown; name: unknown; about: unknown }): Promise<void> {
  const summary = about === undefined || about === '' ? {} : { summary: brief(about) };
  return ctx.emitEvent({ kind: 'tool', payload: { call_id: String(id ?? name), name: String(name), phase, ...summary } });
}

/** Asks for all of them, many at once; the answers come in any order and are given in that of the items. */
export async function answersAtOnce<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  const left = [...items.entries()];
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) answers[next[0]] = await ask(next[1]);
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  } finally {
    left.length = 0;
  }
  return answers;
}

/** What a person decides by, whole: JSON, or the text itself as the framework has it. */
export function shown(value: unknown): string {
  return typeof value === 'string' ? value : value instanceof Error ? value.message : (JSON.stringify(value) ?? String(value));
}

/** Of what happened, for people: cut where it is long. */
export function brief(value: unknown): string {
  const text = shown(value);
  return text.length <= MAX_SUMMARY ? text : `${text.slice(0, MAX_SUMMARY - 1)}…`;
}

export function record(value: unknown): Record<string, unknown> {
  // Safe: its members are read as unknown.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Undefined where it is no JSON. */
export function jsonOf(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
