// What the runtime (the sidecar) and a worker in another language say to each other. The runtime serves every
// surface, checks, streams and negotiates; the worker runs handlers. One connection a worker, many runs on
// it:
//
//   GET /worker HTTP/1.1 · Connection: Upgrade · Upgrade: svc-worker/1
//     → 101, then one JSON object a line each way (UTF-8, "\n").
//   GET /healthz
//     → 200 while the process is well.
//
// The worker speaks first (`hello`). The runtime sends `start` once; after `started` it sends `invoke`,
// several at a time. Every `invoke` is answered by exactly one `result` or `error` with its id, also after
// `cancel`. Unknown members are ignored; an unknown `t` is an error.
//
// Only in development: a worker that says `reloads` in its hello may be sent `reload`. It loads the project's
// files again and answers `reloaded` with the new declaration; the next connection belongs to that code, the
// connections before stay with theirs until `shutdown`. The worker ends with the last.
import { z } from 'zod';
import { Problem } from './author-process.ts';
import { Caller } from './caller.ts';
import { AgentErrorCode, AgentErrorIssue } from './errors.ts';
import { EventKindName } from './events.ts';
import { Grant } from './grant.ts';
import { SkillName } from './names.ts';
import { LOG_LEVELS } from '../states.ts';

export const WORKER_PROTOCOL = 'svc-worker/1';
/** Characters of one line. Bytes travel as base64, so this also bounds an artifact or a file: 48 MiB. */
export const MAX_FRAME_LENGTH = 64 * 1024 * 1024;
/**
 * Events a run may have sent that were not yet acknowledged; a worker that keeps to it is slowed by a slow
 * reader instead of filling memory.
 */
export const MAX_UNACKNOWLEDGED_EVENTS = 64;

const jsonObject = z.record(z.string(), z.unknown());
const runId = z.int().positive().meta({ description: 'Chosen by the runtime; one run on this connection.' });
const callId = z.int().positive().meta({ description: 'Chosen by the worker; one call into the run context.' });

export const WorkerError = z.object({
  code: AgentErrorCode.or(z.string()),
  /** For the caller: no internals. */
  message: z.string(),
  status: z.int().min(400).max(599).optional(),
  issues: z.array(AgentErrorIssue).optional(),
  missing_scopes: z.array(z.string()).optional(),
  /** With call_failed: what the other agent said. With model_failed: what the model gateway did. */
  callee: z.object({ code: z.string(), status: z.int() }).optional(),
  /** Only for the agent's log: a stack trace. */
  log: z.string().optional(),
});
export type WorkerError = z.infer<typeof WorkerError>;

/** Methods of the run context a worker may call; parameters and values are in context-methods.ts. */
export const ContextMethod = z.enum([
  'write_artifact', 'ask', 'answer', 'call', 'request_scope', 'deny_scope', 'resolve_scope_grant',
  'find_agents', 'get_agent',
  'workspace.search', 'workspace.open_view', 'workspace.request_access', 'workspace.view', 'workspace.list_grants', 'workspace.delegate', 'workspace.install_grant',
  'view.read', 'view.write', 'view.delete', 'view.patches',
  'sandbox.create', 'sandbox.get', 'sandbox.list', 'sandbox.remove', 'sandbox.run_python', 'sandbox.run_shell',
  'sandbox.exec', 'sandbox.shell', 'sandbox.logs', 'sandbox.stop', 'sandbox.kill',
  'memory.get', 'memory.put', 'memory.delete', 'memory.list', 'memory.search',
  'llm.generate', 'llm.object', 'llm.start', 'llm.read', 'llm.leave', 'llm.embed',
  'meta_runs.create', 'meta_runs.get', 'meta_runs.list', 'meta_runs.update', 'track_call',
]); // prettier-ignore
export type ContextMethod = z.infer<typeof ContextMethod>;

export const ToWorker = z.discriminatedUnion('t', [
  z.object({ t: z.literal('start'), config: jsonObject, secrets: z.record(z.string(), z.string()) }),
  z.object({
    t: z.literal('invoke'),
    id: runId,
    skill: SkillName,
    args: jsonObject,
    run: z.object({
      run_id: z.string(),
      request_id: z.string(),
      auth: jsonObject,
      /**
       * Who calls, by the platform's word; absent: nobody is known, or the call did not come through the
       * platform.
       */
      caller: Caller.optional(),
      /** Milliseconds since the epoch; null where nothing bounds the run. */
      deadline: z.number().nullable(),
      /** The grant the caller passed on, verified. */
      grant: Grant.nullable(),
      /**
       * The run's own credential, for the model gateway; absent: the call did not come through the platform.
       */
      token: z.string().optional(),
      /**
       * traceparent and tracestate (W3C), which spans of the run continue; absent: the call did not come
       * through the platform.
       */
      trace: z.record(z.string(), z.string()).optional(),
      /** What the caller set for this agent, with defaults. */
      setup: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    }),
  }),
  /** `deadline`: of the run as it is now, as in `invoke`; a wait for a person moves it. */
  z.object({ t: z.literal('reply'), id: runId, call: callId, value: z.unknown(), deadline: z.number().optional() }),
  z.object({ t: z.literal('reply_error'), id: runId, call: callId, error: WorkerError, deadline: z.number().optional() }),
  /** All events of the run up to this number were taken. */
  z.object({ t: z.literal('ack'), id: runId, seq: z.int().positive() }),
  /**
   * The run is over for its caller; check_cancelled raises this. The worker still ends it with `result` or
   * `error`.
   */
  z.object({ t: z.literal('cancel'), id: runId, error: WorkerError }),
  z.object({ t: z.literal('resolve_auth'), id: runId, bearer: z.string().nullable(), headers: z.record(z.string(), z.string()), caller: Caller.optional() }),
  z.object({ t: z.literal('health'), id: runId }),
  /** After a clone of a snapshot: forget random numbers, take these secrets. */
  z.object({ t: z.literal('renew'), secrets: z.record(z.string(), z.string()) }),
  /**
   * Load the project as its files are now. In development, to a worker that said `reloads`; to any other it
   * is an unknown frame.
   */
  z.object({ t: z.literal('reload'), id: runId }),
  z.object({ t: z.literal('shutdown') }),
]);
export type ToWorker = z.infer<typeof ToWorker>;

export const FromWorker = z.discriminatedUnion('t', [
  z.object({
    t: z.literal('hello'),
    protocol: z.literal(WORKER_PROTOCOL),
    language: z.string(),
    sdk: z.string(),
    skills: z.array(SkillName),
    reloads: z.boolean().optional(),
    /**
     * The name of this connection for the second one, by which the runtime sees what blocks the worker
     * (watch.ts).
     */
    watch: z.string().max(64).optional(),
  }),
  z.object({ t: z.literal('started') }),
  /**
   * startup(ctx) raised, or the configuration does not fit: no call is taken until the worker is restarted.
   */
  z.object({ t: z.literal('not_started'), error: WorkerError }),
  z.object({ t: z.literal('event'), id: runId, seq: z.int().positive(), kind: EventKindName, payload: jsonObject }),
  z.object({ t: z.literal('call'), id: runId, call: callId, method: ContextMethod, params: jsonObject }),
  z.object({ t: z.literal('result'), id: runId, value: z.unknown() }),
  z.object({ t: z.literal('error'), id: runId, error: WorkerError }),
  z.object({ t: z.literal('principal'), id: runId, principal: jsonObject }),
  /** `reason`: of what is not well, for callers. */
  z.object({ t: z.literal('healthy'), id: runId, ok: z.boolean(), reason: z.string().max(2000).optional() }),
  z.object({
    t: z.literal('log'),
    id: runId.optional(),
    level: z.enum(LOG_LEVELS),
    message: z.string(),
    fields: jsonObject.optional(),
  }),
  /** `dsl`: an AgentDsl, if the author's class makes a valid one. */
  z.object({ t: z.literal('reloaded'), id: runId, dsl: jsonObject }),
  /**
   * The previous code keeps serving. `of_process`: the state of this process may be the cause; a new process
   * may succeed.
   */
  z.object({ t: z.literal('not_reloaded'), id: runId, problems: z.array(Problem).min(1).max(100), of_process: z.boolean() }),
  z.object({ t: z.literal('stopped') }),
]);
export type FromWorker = z.infer<typeof FromWorker>;
