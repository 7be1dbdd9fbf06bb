// The trace of a run: what the platform saw of it and what agents said of their own code, as one tree.
import { z } from 'zod';
import { RunId, TraceId } from './runs.ts';
import { svcGroup } from '../kit.ts';
import { AgentParams } from '../shared.ts';
import { SPAN_KINDS, SPAN_SOURCES, SPAN_STATUSES } from '../states.ts';

const Nanoseconds = z
  .string()
  .regex(/^\d{1,20}$/)
  .meta({ description: 'Nanoseconds since the epoch, in digits.' });
const attributes = z.record(z.string(), z.unknown());

export const SpanOut = z
  .strictObject({
    span_id: z.string(),
    parent_id: z.string().nullable().meta({ description: 'In this document; null: the run that was asked for.' }),
    run_id: z.string(),
    agent: z.string(),
    source: z.enum(SPAN_SOURCES).meta({ description: 'platform: recorded by the platform · agent: exported by the code of the agent.' }),
    name: z.string(),
    // A constant named Client would hide the client itself, in Go.
    kind: z.enum(SPAN_KINDS).meta({ 'x-enum-varnames': SPAN_KINDS.map((kind) => `SpanKind${kind[0]?.toUpperCase()}${kind.slice(1)}`) }),
    start_ns: Nanoseconds,
    end_ns: Nanoseconds.nullable().meta({ description: 'null: it has not ended.' }),
    status: z.enum(SPAN_STATUSES),
    message: z.string().nullable(),
    attributes,
    events: z.array(z.strictObject({ name: z.string(), at_ns: Nanoseconds, attributes })),
  })
  .meta({ id: 'SpanOut' });
export type SpanOut = z.infer<typeof SpanOut>;

export const TraceOut = z
  .strictObject({
    trace_id: TraceId,
    run_id: z.string(),
    root_run_id: z.string().meta({ description: 'The first run of the chain: its trace contains this one.' }),
    remote_parent_id: z.string().nullable().meta({ description: 'The span of the caller that began this run, where it is not in this document.' }),
    spans: z.array(SpanOut).meta({ description: 'The run and what it led to, in the order of their starts. Every parent but the first is in the list.' }),
    usage: z
      .strictObject({
        input_tokens: z.int().min(0),
        output_tokens: z.int().min(0),
        cost_micros: z.int().min(0).nullable().meta({ description: 'Micro-dollars; null: something has no known price.' }),
      })
      .meta({ description: 'Use of language models, as far as the reader paid for them.' }),
    truncated: z.boolean().meta({ description: 'There is more than is shown.' }),
    refused_spans: z.int().min(0).meta({ description: 'Spans of agents that were not taken: too many, too large, or not of the run.' }),
  })
  .meta({ id: 'TraceOut' });
export type TraceOut = z.infer<typeof TraceOut>;

export const RunInputOut = z
  .strictObject({
    run_id: z.string(),
    args: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'null: they are not kept, because the call was not durable or they are too large.' }),
    input_sha256: z.string().nullable().meta({ description: 'Hash of the canonical JSON of the arguments, as in the receipt.' }),
  })
  .meta({ id: 'RunInputOut' });
export type RunInputOut = z.infer<typeof RunInputOut>;

export const traces = svcGroup({
  ofAgent: {
    at: 'GET /v1/agents/{name}/api/runs/{run_id}/trace',
    summary: 'The trace of a run',
    scope: 'authenticated',
    params: AgentParams.extend({ run_id: RunId }),
    out: TraceOut,
    errors: [401, 403, 404],
  },
  mine: {
    at: 'GET /v1/me/runs/{run_id}/trace',
    summary: 'The trace of a run, whatever its agent is',
    scope: 'account',
    params: z.object({ run_id: RunId }),
    out: TraceOut,
    errors: [401, 403, 404],
  },
  input: {
    at: 'GET /v1/me/runs/{run_id}/input',
    summary: 'The arguments that a run was begun with, for who may read its result',
    scope: 'account',
    params: z.object({ run_id: RunId }),
    out: RunInputOut,
    errors: [401, 403, 404],
  },
});
