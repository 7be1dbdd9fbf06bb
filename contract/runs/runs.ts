// Runs as their callers see them: started, read, followed. A run continues without its caller's connection.
import { z } from 'zod';
import { Fault, Instant } from '../shared.ts';
import { JobState } from './work-ledger.ts';
import { ApprovalOut } from '../pauses/approvals.ts';
import { RECIPIENT_KINDS, ORGANIZATION_ROLES, WAIT_KINDS } from '../states.ts';
import { Sha256Hex } from '../wire/names.ts';

export const RunId = z.string().regex(/^run_[0-9a-f-]{36}$/, 'is not a run id');

export const TraceId = z.string().regex(/^[0-9a-f]{32}$/, 'is not a trace id');

/** Whom a question is put to, if not to the account that the run works for. */
export const RecipientOut = z
  .strictObject({
    of: z.enum(RECIPIENT_KINDS).exclude(['caller']),
    role: z.enum(ORGANIZATION_ROLES).nullable().meta({ description: 'Role whose holders may answer.' }),
    people: z
      .array(z.string())
      .meta({ description: 'Addresses of named people, for readers who are asked or act for the account that owns the agent; empty for others.' }),
    you: z.boolean().meta({ description: 'Whether the reader may answer. False: prompt and form are not shown.' }),
  })
  .meta({ id: 'RecipientOut' });
export type RecipientOut = z.infer<typeof RecipientOut>;

export const RunWait = z
  .strictObject({
    wait_id: z.string(),
    kind: z.enum(WAIT_KINDS),
    prompt: z.string(),
    agent: z.string().optional().meta({ description: 'The agent that asks: the one that was called, or one that it calls.' }),
    skill: z.string().optional(),
    called_by: z
      .array(z.string())
      .optional()
      .meta({ description: 'Agents between the person and the one that asks, the first one first. Absent: the person called it.' }),
    arguments_sha256: Sha256Hex.optional().meta({ description: 'Hash of the shown arguments that are to be approved.' }),
    schema: z.record(z.string(), z.unknown()).optional().meta({ description: "JSON Schema of the answer, where it is a form's." }),
    request: z.record(z.string(), z.unknown()).optional().meta({ description: 'What is to be approved.' }),
    expires_at: Instant,
    answer_path: z.string().meta({ description: 'Path of this API that takes the decision.' }),
    recipient: RecipientOut.optional().meta({ description: 'Whom a question is put to. Absent: the account that the run works for.' }),
    approval: ApprovalOut.optional().meta({ description: 'Where a rule of the organization says who approves it.' }),
  })
  .meta({ id: 'RunWait', description: 'What the run waits for.' });

export const RunOut = z
  .strictObject({
    run_id: z.string(),
    job_id: z.string().nullable().meta({ description: 'Its job; null for a plain call, which only its caller follows.' }),
    agent: z.string(),
    skill: z.string(),
    trace_id: TraceId.meta({ description: 'The trace it belongs to: that of its caller where one was sent (traceparent).' }),
    state: JobState,
    result: z.unknown().meta({ description: 'Once it has succeeded; null before.' }),
    error: Fault.nullable(),
    receipt_id: z.string().nullable(),
    waits: z.array(RunWait).meta({ description: 'Open ones, oldest first.' }),
    last_seq: z.int().min(0).meta({ description: 'Sequence number of its newest event.' }),
    created_at: Instant,
    started_at: Instant.nullable(),
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'RunOut' });
