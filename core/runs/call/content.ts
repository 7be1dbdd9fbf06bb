// What a plain call took and gave, kept after its answer has gone out, and while it runs for those that take
// longer than a moment. No call waits for this, and none fails by it.
import type { Ctx } from '../../kernel/ctx.ts';
import { isPiiSafe } from '../../policy/check.ts';
import type { CallFacts } from '../run/facts.ts';
import type { Outcome } from '../run/outcome.ts';
import { later } from '../content/later.ts';
import { Streamed } from './streamed.ts';
import { type Content, dropRunning, storableObject, writeContent } from '../content/write.ts';

interface EndedCall extends CallFacts {
  args?: () => unknown;
  streamed?: Streamed;
}

/** Of input and output each; what is longer is left out. */
const MAX_BYTES = 131_072;
const LIVE_EVERY_MS = 1_000;

/** From now on its caller can watch it from elsewhere, once it takes longer than a moment. */
export function watchCallContent(ctx: Ctx, call: EndedCall): void {
  if (call.run.user_id === null) return;
  const streamed = (call.streamed ??= new Streamed());
  let written = -1;
  streamed.watch(LIVE_EVERY_MS, () => {
    if (streamed.version === written) return;
    written = streamed.version;
    streamed.isOpen = true;
    write(ctx, call, () => ({ state: 'running', output: null, error: null, ended_at: null }));
  });
}

export function keepCallContent(ctx: Ctx, call: EndedCall, outcome: Outcome): void {
  // Of others nobody could read more than why it failed.
  if (call.run.user_id === null && outcome.state === 'succeeded') return;
  const endedAt = new Date(ctx.clock());
  write(ctx, call, () => ({
    state: outcome.state,
    output: outcome.state === 'succeeded' && 'result' in outcome ? textOf(outcome.result ?? null) : null,
    error: outcome.error ? { ...outcome.error } : null,
    ended_at: endedAt,
  }));
}

/** Its run has become durable. */
export function leaveCallContent(ctx: Ctx, call: EndedCall): void {
  call.streamed?.end();
  if (call.streamed?.isOpen) void dropRunning(ctx.db, call.run.run_id).catch(() => undefined);
}

function write(ctx: Ctx, call: EndedCall, more: () => Pick<Content, 'state' | 'output' | 'error' | 'ended_at'>): void {
  const { run, route, skill, streamed } = call;
  const { requestId } = ctx;
  later(ctx, async (db) => {
    if (await isPiiSafe(db, [run.owner_id, run.user_id])) return;
    const { output, error, ...end } = more();
    const input = run.user_id === null ? null : textOf(call.args?.() ?? null);
    const isLarge = (text: string | null): boolean => text !== null && text.length > MAX_BYTES;
    await writeContent(db)({
      run_id: run.run_id,
      agent_id: route.agentId,
      deploy_id: route.deployId,
      skill,
      user_id: run.user_id,
      request_id: requestId,
      ...end,
      input: isLarge(input) ? null : input,
      output: isLarge(output) ? null : output,
      streamed: streamed && streamed.text !== '' ? streamed.text.toWellFormed().replaceAll('\0', '\uFFFD') : null,
      progress: streamed?.progress ? storableObject(streamed.progress) : null,
      error: error && storableObject(error),
      left_out: isLarge(input) || isLarge(output),
      started_at: new Date(call.startedAt),
    });
  });
}

/** As it was sent: a text column keeps the order of members, which jsonb does not. */
function textOf(value: unknown): string | null {
  return JSON.stringify(value) ?? null;
}
