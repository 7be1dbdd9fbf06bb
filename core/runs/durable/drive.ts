// Drives a run until it ends or waits for a user. Any worker may call it again at any point: only the run's
// row says how far the run is.
import type { Readable } from 'node:stream';
import { HEADER } from '#contract/wire/headers.ts';
import { AgentUnreachable } from '#drivers/agent-http/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { isDispatched } from '../../kernel/run-state.ts';
import { askForRun } from './ask.ts';
import { outcomeOf, failedBecause } from '../run/outcome.ts';
import { endDurableRun } from './end.ts';
import { endOrRestart } from './lost.ts';
import { type OpenRun, openRun, type RunPlace, placeOfRun } from './open-run.ts';
import { type AgentRunEvent, recordEvents, RUN_LIMITS, type RecordPoint } from './record.ts';
import { BadStream, readRunStream } from './stream.ts';
import { watchRun } from './run-clock.ts';

export type Driven = 'ended' | 'waiting';

/**
 * The stream broke without new events: after so many times in a row the activity fails and is retried later.
 */
const maxBreaks = 3;

/** Rejects when the agent cannot be reached or is in trouble: to be tried again. */
export async function driveRun(ctx: Ctx, runId: string, signal: AbortSignal): Promise<Driven> {
  for (let breaks = 0; ;) {
    signal.throwIfAborted();
    const run = await openRun(ctx, runId);
    if (!run) return 'ended';
    const place = await placeOfRun(ctx, run);
    if (!place) {
      await withoutPlace(ctx, run, signal);
      continue;
    }
    const answer = await askForRun(ctx, run, place, signal);
    if (answer.kind === 'refused') await endDurableRun(ctx, runId, answer.end);
    else if (answer.kind === 'lost') await endOrRestart(ctx, run, { code: 'run_lost', why: answer.why }, signal);
    else if (answer.kind === 'stream') {
      const read = await readOn(ctx, run, place, answer.body, signal);
      if (read.how === 'waiting') return 'waiting';
      breaks = read.how === 'broken' && !read.news ? breaks + 1 : 0;
      if (breaks >= maxBreaks) throw new AgentUnreachable('refused', 'the events of the run break off again and again');
    }
  }
}

export interface PlacedRun {
  run: OpenRun;
  place: RunPlace;
}

/** The rest of a run that was asked to end, as far as it comes before `signal` aborts. */
export async function readToEnd(ctx: Ctx, { run, place }: PlacedRun, signal: AbortSignal): Promise<void> {
  try {
    const answer = await askForRun(ctx, run, place, signal);
    if (answer.kind === 'stream') await readOn(ctx, run, place, answer.body, signal);
  } catch {
    // It ends without its last events.
  }
}

/** No instance serves: a run that was asked is lost with its machine; a queued one waits for an instance. */
async function withoutPlace(ctx: Ctx, run: OpenRun, signal: AbortSignal): Promise<void> {
  if (isDispatched(run.row)) return endOrRestart(ctx, run, { code: 'host_lost', why: "the agent's machine that ran it is gone" }, signal);
  if (!run.agentKept)
    return void (await endDurableRun(ctx, run.row.run_id, failedBecause('agent_gone', `${run.row.agent_name} was deleted before it could run this`)));
  throw new AgentUnreachable('refused', `${run.row.agent_name} has nothing that serves at the moment`);
}

interface Read {
  how: 'ended' | 'waiting' | 'broken';
  news: boolean;
}

async function readOn(ctx: Ctx, run: OpenRun, place: RunPlace, body: Readable, signal: AbortSignal): Promise<Read> {
  const { row } = run;
  let cursor = row.event_cursor;
  const at = (): RecordPoint => ({ runId: row.run_id, attempt: row.attempt, cursor, threadId: row.thread_id });
  const news = (): boolean => cursor > row.event_cursor;
  const watch = watchRun(ctx, { runId: row.run_id, ranMs: row.ran_ms, maxMs: place.policy.maxRuntimeMs, stop: () => void body.destroy() });
  try {
    for await (const events of readRunStream(body, cursor)) {
      watch.received(events);
      const last = events.findIndex((event) => outcomeOf(event));
      if (last >= 0) {
        await finishWith(ctx, at(), events.slice(0, last + 1));
        return { how: 'ended', news: true };
      }
      const recorded = await recordEvents(ctx.db, at(), events, watch.ran());
      if (recorded === 'overtaken') return { how: 'broken', news: true };
      cursor = events.at(-1)?.seq ?? cursor;
      if (recorded === 'over_limit') {
        await stopAt(ctx, run, place);
        const message = `The run sent more than ${RUN_LIMITS.events} events or ${RUN_LIMITS.bytes} bytes of them: let the skill write artifacts instead`;
        await endDurableRun(ctx, row.run_id, failedBecause('too_many_events', message));
        return { how: 'ended', news: true };
      }
    }
    return { how: watch.waits() ? 'waiting' : 'broken', news: news() };
  } catch (error) {
    signal.throwIfAborted();
    if (watch.waits()) return { how: 'waiting', news: news() };
    if (watch.timeUp()) {
      await stopAt(ctx, run, place);
      await endDurableRun(ctx, row.run_id, failedBecause('skill_timeout', `The skill did not end within the ${place.policy.maxRuntimeMs / 1000} s it may run`));
      return { how: 'ended', news: true };
    }
    if (error instanceof BadStream) {
      await stopAt(ctx, run, place);
      await endDurableRun(ctx, row.run_id, failedBecause(error.code, error.message));
      return { how: 'ended', news: true };
    }
    return { how: 'broken', news: news() };
  } finally {
    watch.end();
    body.on('error', () => undefined).destroy();
  }
}

async function finishWith(ctx: Ctx, at: RecordPoint, events: AgentRunEvent[]): Promise<void> {
  const last = events.at(-1);
  const end = last && outcomeOf(last);
  if (end) await endDurableRun(ctx, at.runId, end, { attempt: at.attempt, cursor: at.cursor, events });
}

/** Resolves with the agent's status; undefined: it could not be reached. Either way the run ends here. */
export async function stopAt(ctx: Ctx, { row }: OpenRun, place: RunPlace): Promise<number | undefined> {
  const timeoutMs = 10_000;
  try {
    const { status, body } = await ctx.drivers.agentHttp.send(place, {
      method: 'POST',
      path: `/runs/${encodeURIComponent(row.run_id)}/cancel`,
      body: '',
      headers: { authorization: `Bearer ${place.apiKey}`, [HEADER.requestId]: row.run_id },
      signal: AbortSignal.timeout(timeoutMs),
      timeoutMs,
    });
    body.on('error', () => undefined).resume();
    return status;
  } catch {
    return undefined;
  }
}
