// Spans of what the platform saw: runs, waits for people, uses of language models. Their ids follow from the
// ids of the rows.
import type { SpanOut } from '#contract/runs/traces.ts';
import { ERROR_TYPE, GEN_AI, OPERATION, SVC } from '#contract/wire/trace-conventions.ts';
import type { JobEventsRow, LlmUsageRow, WaitsRow } from '#db/tables.ts';
import { spanIdOf } from '../../kernel/trace.ts';
import type { RunFacts } from './facts.ts';

type Facts = Record<string, string | number | boolean | null | undefined>;

export function runSpan(run: RunFacts, restarts: readonly Pick<JobEventsRow, 'at' | 'payload'>[]): SpanOut {
  const failed = run.state === 'failed' ? (run.error_code ?? 'failed') : null;
  return {
    span_id: spanIdOf(run.run_id),
    parent_id: run.parent_span_id ?? (run.parent_run_id === null ? null : spanIdOf(run.parent_run_id)),
    run_id: run.run_id,
    agent: run.agent_name,
    source: 'platform',
    name: `${OPERATION.invokeAgent} ${run.agent_name}`,
    kind: 'server',
    start_ns: nanoseconds(run.started_at),
    end_ns: run.ended_at && nanoseconds(run.ended_at),
    status: run.state === 'succeeded' ? 'ok' : failed === null ? 'unset' : 'error',
    message: failed,
    attributes: present({
      [GEN_AI.operation]: OPERATION.invokeAgent,
      [GEN_AI.agentName]: run.agent_name,
      [GEN_AI.agentId]: run.agent_id,
      [GEN_AI.agentVersion]: run.version,
      [GEN_AI.conversation]: run.thread_id,
      [SVC.run]: run.run_id,
      [SVC.skill]: run.skill,
      [SVC.runState]: run.state,
      [SVC.caller]: run.caller_kind,
      [SVC.grant]: run.grant_id,
      [SVC.receipt]: run.receipt_id,
      [SVC.attempts]: run.attempt > 1 ? run.attempt : undefined,
      [ERROR_TYPE]: run.state === 'cancelled' ? 'cancelled' : failed,
    }),
    events: restarts.map(({ at, payload }) => ({ name: 'svc.run.restarted', at_ns: nanoseconds(at), attributes: { ...objectOf(payload) } })),
  };
}

export type Wait = Pick<WaitsRow, 'wait_id' | 'kind' | 'state' | 'created_at' | 'resolved_at' | 'run_id'>;

export function waitSpan(wait: Wait, run: RunFacts): SpanOut {
  // Not decided yet: it ends with its run.
  const end = wait.resolved_at ?? run.ended_at;
  return {
    ...below(run, wait.wait_id),
    name: `wait ${wait.kind}`,
    kind: 'internal',
    start_ns: nanoseconds(wait.created_at),
    end_ns: end && nanoseconds(end),
    status: wait.state === 'answered' || wait.state === 'approved' ? 'ok' : 'unset',
    message: null,
    attributes: { [SVC.wait]: wait.wait_id, [SVC.waitKind]: wait.kind, [SVC.waitState]: wait.state },
    events: [],
  };
}

export type ModelUse = Omit<LlmUsageRow, 'cap_ids' | 'day' | 'person_id' | 'reserved_micros' | 'credential_id' | 'thread_id'>;

/** `counted`: the reader may know what was used; that is for who pays. */
export function modelSpan(use: ModelUse, run: RunFacts, counted: boolean): SpanOut {
  const operation = OPERATION_OF[use.purpose] ?? OPERATION.generate;
  const end = use.ended_at ?? run.ended_at;
  const failed = use.state === 'failed' || use.state === 'lost';
  const tokens = counted && {
    [GEN_AI.inputTokens]: use.input_tokens,
    [GEN_AI.cachedInputTokens]: use.cached_input_tokens,
    [GEN_AI.outputTokens]: use.output_tokens,
    [SVC.costMicros]: use.cost_micros,
    [SVC.estimated]: use.estimated ? true : undefined,
  };
  return {
    ...below(run, use.usage_id),
    parent_id: use.parent_span_id ?? spanIdOf(run.run_id),
    name: `${operation} ${use.model}`,
    kind: 'client',
    start_ns: nanoseconds(use.started_at),
    end_ns: end && nanoseconds(end),
    status: use.state === 'ok' ? 'ok' : failed ? 'error' : 'unset',
    message: failed ? (use.error_code ?? use.state) : null,
    attributes: present({
      [GEN_AI.operation]: operation,
      [GEN_AI.provider]: use.provider,
      [GEN_AI.requestModel]: use.model,
      [SVC.modelUse]: use.usage_id,
      ...(tokens || undefined),
      [ERROR_TYPE]: use.state === 'cancelled' ? 'cancelled' : failed ? (use.error_code ?? use.state) : undefined,
    }),
    events: [],
  };
}

const OPERATION_OF: Readonly<Record<string, string>> = {
  chat: OPERATION.chat,
  responses: OPERATION.chat,
  messages: OPERATION.chat,
  embeddings: OPERATION.embeddings,
};

function below(run: RunFacts, id: string): Pick<SpanOut, 'span_id' | 'parent_id' | 'run_id' | 'agent' | 'source'> {
  return { span_id: spanIdOf(id), parent_id: spanIdOf(run.run_id), run_id: run.run_id, agent: run.agent_name, source: 'platform' };
}

function nanoseconds(at: Date): string {
  return `${at.getTime()}000000`;
}

function present(facts: Facts): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null && value !== undefined));
}

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
