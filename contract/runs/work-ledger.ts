// What the caller's account is doing and has done: jobs and their events.
import { z } from 'zod';
import { eventStream, group } from '../kit.ts';
import { Fault, Instant, nextCursor, pageQuery, SequenceNumber } from '../shared.ts';
import { JOB_STATES } from '../states.ts';

export const JobState = z.enum(JOB_STATES).meta({ id: 'JobState' });

export const JobOut = z
  .strictObject({
    job_id: z.string(),
    kind: z.string().meta({ description: 'What kind of work: deploy, run, …' }),
    state: JobState,
    title: z.string(),
    agent: z.string().nullable(),
    thread_id: z.string().nullable(),
    parent_job_id: z.string().nullable(),
    input: z.record(z.string(), z.unknown()),
    output: z.record(z.string(), z.unknown()).nullable(),
    error: Fault.nullable(),
    last_seq: z.int().min(0).meta({ description: 'Sequence number of its newest event.' }),
    events: z
      .enum(['kept', 'archived', 'removed'])
      .meta({ description: 'Where its events are: archived ones are read like any others; removed ones are gone, after the time that events are kept.' }),
    created_at: Instant,
    started_at: Instant.nullable(),
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'JobOut' });

export const JobEventOut = z
  .strictObject({
    job_id: z.string(),
    seq: z.int().min(1).meta({ description: 'From 1, without gaps.' }),
    kind: z.string(),
    payload: z.record(z.string(), z.unknown()),
    at: Instant,
  })
  .meta({ id: 'JobEventOut' });

const ActivityOut = z.strictObject({ items: z.array(JobOut), next_cursor: nextCursor }).meta({ id: 'ActivityOut' });
export const JobEventsOut = z.strictObject({ items: z.array(JobEventOut), last_seq: z.int().min(0) }).meta({ id: 'JobEventsOut' });

const job = z.object({ job_id: z.string().regex(/^job_[0-9a-f-]{36}$/, 'is not a job id') });
const after = SequenceNumber.default(0).meta({ description: 'Only events with a greater sequence number.' });

export const workLedger = group({
  activity: {
    at: 'GET /v1/me/activity',
    summary: 'Jobs of the account, newest first',
    scope: 'account',
    query: pageQuery(50, 200).extend({ kind: z.string().max(64).optional(), state: JobState.optional(), agent: z.string().max(128).optional() }),
    out: ActivityOut,
    errors: [400, 401, 403],
  },
  get: { at: 'GET /v1/me/jobs/{job_id}', summary: 'One job', scope: 'account', params: job, out: JobOut, errors: [401, 403, 404] },
  cancel: {
    at: 'POST /v1/me/jobs/{job_id}/cancel',
    summary: 'Cancel a job: its workflow is cancelled and its grants are revoked',
    description: 'Answers with the job as it is now; a job that has ended already answers 409.',
    scope: 'account',
    params: job,
    out: JobOut,
    errors: [401, 403, 404, 409],
  },
  events: {
    at: 'GET /v1/me/jobs/{job_id}/events',
    summary: 'Events of a job, oldest first',
    scope: 'account',
    params: job,
    query: z.object({ after, limit: z.int().min(1).max(1000).default(500) }),
    out: JobEventsOut,
    errors: [401, 403, 404],
  },
  stream: {
    at: 'GET /v1/me/jobs/{job_id}/events/stream',
    summary: 'Events of a job as they happen',
    description: 'Server-sent events; the id is the sequence number, so Last-Event-ID resumes without a gap. Ends after the last event.',
    scope: 'account',
    params: job,
    query: z.object({ after }),
    out: eventStream(JobEventOut),
    errors: [401, 403, 404],
  },
});
