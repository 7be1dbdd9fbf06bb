// POST /ag-ui: a run of AG-UI is a run of a skill, read from its log of events. Where the run asks a person
// it is interrupted, as the protocol has it, and waits in the agent; the next run of the same thread brings
// the answer and follows the same run of the skill from there.
import { setTimeout as delay } from 'node:timers/promises';
import { EventType } from '@ag-ui/core';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AgentCard } from '../../../../contract/wire/card.ts';
import { HEADER } from '../../../../contract/wire/headers.ts';
import type { Principal } from '../../authoring/auth.ts';
import { CancelledByCaller } from '../../authoring/errors.ts';
import { sendStream } from '../a2a/answer.ts';
import { choosing } from '../a2a/choose.ts';
import type { DetachedRun } from '../detached.ts';
import { EventsGone } from '../event-log.ts';
import type { Executor } from '../executor.ts';
import { HttpError, readJson } from '../http.ts';
import { mayBegin, type RunOrigin } from '../origin.ts';
import type { Owner } from '../owner.ts';
import { QUICK_DECISION_MS } from '../pending.ts';
import { turn } from '../watchdog/watchdog.ts';
import { Telling, type AGUIEvent } from './events.ts';
import { readInput, wantedIn, type Input } from './input.ts';
import { Refusal, Threads } from './threads.ts';

export interface AguiParts {
  card: AgentCard;
  executor: Executor;
  maxBodyBytes: number;
  heartbeatMs: number;
}

interface AguiCaller {
  auth: Principal;
  owner: Owner;
  origin: RunOrigin;
  requestId: string;
}

export interface AguiFace {
  handle(req: IncomingMessage, res: ServerResponse, caller: AguiCaller): Promise<void>;
}

/** A run as one client follows it. */
interface Followed {
  run: DetachedRun;
  /** Number of the last event it knows. */
  from: number;
  tools: ReadonlySet<string>;
  /** Ids of what the client was asked and is open still. */
  known: ReadonlySet<string>;
}

export function createAgui({ card, executor, maxBodyBytes, heartbeatMs }: AguiParts): AguiFace {
  const threads = new Threads(executor);

  async function begin(input: Input, { auth, owner, origin, requestId }: AguiCaller): Promise<Followed> {
    threads.checkFree(input, owner);
    if (!mayBegin(origin)) throw new HttpError('bad_request', 'answers of a waiting run come as "resume", a list with an entry for each interrupt');
    const wanted = wantedIn(card, input);
    const prepared = 'skill' in wanted ? await executor.prepare(wanted.skill, wanted.args, auth) : choosing(executor, card, wanted, auth);
    const { runId } = executor.start(prepared, { origin: { ...origin, detached: 'always' }, requestId, callerAnswers: true });
    const run = executor.detached(runId);
    if (!run) throw new Error('a detached run is not kept');
    return { run, from: 0, tools: new Set(), known: new Set() };
  }

  function resume(input: Input, owner: Owner): Followed {
    const { run, from, tools, asked } = threads.resume(input, owner);
    return { run, from, tools, known: new Set(threads.open(run.runId).flatMap(({ id }) => (asked.has(id) ? [id] : []))) };
  }

  /** To the end of the run, or until it waits for its client. A client that leaves before ends it. */
  async function* follow(input: Input, { run, from, tools, known }: Followed, owner: Owner, gone: AbortSignal): AsyncGenerator<AGUIEvent, void, undefined> {
    const telling = new Telling(input, run, tools);
    let settled = false;
    try {
      yield* telling.begin();
      for await (const { seq, kind, data } of run.log.read(from, gone)) {
        const { payload } = JSON.parse(data) as { payload: Readonly<Record<string, unknown>> }; // as the log wrote it
        if (kind !== 'question' && kind !== 'scope_request' && kind !== 'platform_wait') {
          settled = kind === 'result' || kind === 'failed';
          yield* telling.tell({ seq, kind, payload });
          continue;
        }
        await (kind === 'question' ? turn() : delay(QUICK_DECISION_MS));
        const open = threads.open(run.runId);
        const id = String(payload['question_id'] ?? payload['request_id']);
        if (known.has(id) || gone.aborted || !open.some((request) => request.id === id)) continue;
        settled = true;
        threads.hold({
          owner: owner.key,
          threadId: input.threadId,
          run,
          asked: new Map(open.map((request) => [request.id, request])),
          from: seq,
          tools: telling.tools,
        });
        yield* telling.interrupted(open);
        return;
      }
    } catch (error) {
      if (!(error instanceof EventsGone)) throw error;
      yield { type: EventType.RUN_ERROR, code: error.code, message: error.message };
    } finally {
      if (!settled) run.stop(new CancelledByCaller());
      executor.readerLeft(run);
    }
  }

  return {
    async handle(req, res, caller) {
      const { requestId, owner } = caller;
      if (req.method !== 'POST') throw new HttpError('method_not_allowed', 'use POST', { allow: 'POST' });
      const gone = new AbortController();
      res.on('close', () => gone.abort());
      const input = readInput(await readJson(req, maxBodyBytes));
      const runOrRefusal = await followed(input, caller);
      const headers = { [HEADER.requestId]: requestId, ...(!(runOrRefusal instanceof Refusal) && { [HEADER.runId]: runOrRefusal.run.runId }) };
      const events = runOrRefusal instanceof Refusal ? refused(input, runOrRefusal) : follow(input, runOrRefusal, owner, gone.signal);
      const broken: AGUIEvent = {
        type: EventType.RUN_ERROR,
        code: 'skill_invocation_error',
        message: 'the agent failed to tell its run: find the reason in its log',
      };
      await sendStream(
        { res, headers: () => headers, heartbeatMs },
        events,
        (event) => event,
        () => broken,
      );
    },
  };

  async function followed(input: Input, caller: AguiCaller): Promise<Followed | Refusal> {
    try {
      return input.resume && input.resume.length > 0 ? resume(input, caller.owner) : await begin(input, caller);
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }
}

async function* refused(input: Input, { code, message }: Refusal): AsyncGenerator<AGUIEvent, void, undefined> {
  yield Telling.started(input);
  yield { type: EventType.RUN_ERROR, code, message };
}
