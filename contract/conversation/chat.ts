// Talking to the platform: a message becomes calls of skills, and what those wait for is decided here.
import { z } from 'zod';
import { group, passthrough } from '../kit.ts';
import { Fault, Instant } from '../shared.ts';
import { WorkspaceMode } from '../wire/card.ts';
import { WaitCard } from '../pauses/cards.ts';
import { Handoffs, ThreadId } from './chat-threads.ts';
import { JobState } from '../runs/work-ledger.ts';
import { ApprovalOut, votesFor } from '../pauses/approvals.ts';
import { DECISIONS, RUN_STATES, VOTED_STATES } from '../states.ts';
import { AgentSlug } from '../wire/names.ts';

const waitId = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-f-]{36}$`), `${prefix}_ and a UUID, as the event says it`);

/** What was asked, by whom, and what came of it. */
const waitFields = {
  agent: z.string(),
  skill: z.string(),
  prompt: z.string(),
  expires_at: Instant,
};

const Reach = z
  .strictObject({ allow_patterns: z.array(z.string()), mode: z.string(), outputs_prefix: z.string().nullable() })
  .meta({ id: 'ScopeReach', description: 'What the grant held so far allows.' });

export const QuestionAnsweredOut = z.strictObject({ question_id: z.string(), state: z.literal('answered'), ...waitFields }).meta({ id: 'QuestionAnsweredOut' });

export const ScopeDecidedOut = z
  .strictObject({
    approval_id: z.string(),
    state: z.enum(VOTED_STATES).meta({
      description: 'What is written. pending: votes of others are missing. An approval is written as denied where the rules for grants refuse the grant.',
    }),
    denied_reason: z.string().optional().meta({ description: 'With state denied: why.' }),
    ...waitFields,
    reason: z.string().meta({ description: "The agent's, for asking." }),
    old: Reach.nullable(),
    requested: z.strictObject({
      read: z.array(z.string()),
      write_prefix: z.string().nullable(),
      mode: WorkspaceMode,
      ttl_seconds: z.int().meta({ description: 'Counts from the approval.' }),
    }),
    approval: ApprovalOut.optional(),
  })
  .meta({ id: 'ScopeDecidedOut' });

export const InputGivenOut = z.strictObject({ request_id: z.string(), state: z.literal('answered'), ...waitFields }).meta({ id: 'InputGivenOut' });

export const HandoffDecidedOut = z
  .strictObject({
    approval_id: z.string(),
    state: z.enum(VOTED_STATES).meta({ description: 'pending: votes of others are missing.' }),
    ...waitFields,
    callee: z.strictObject({ agent: z.string(), skill: z.string() }),
    input_sha256: z.string().meta({ description: 'Hash of the canonical arguments: the approved call is the executed call.' }),
    preview: z.string(),
    grant_id: z.string().nullable(),
    approval: ApprovalOut.optional(),
  })
  .meta({ id: 'HandoffDecidedOut' });

const name = AgentSlug;
const values = z.record(z.string(), z.unknown());

export const ChatIn = z
  .strictObject({
    thread_id: ThreadId.optional().meta({ description: 'Absent: a new thread.' }),
    message: z
      .string()
      .max(65_536)
      .default('')
      .meta({
        description:
          'Words, or steps: `@agent.skill {json}`, joined by "then" where one waits for the other, on lines of their own where not. `"$1.result.summary"` stands for a part of the result of step 1. Words for several skills, joined by "then", "after that" or "and", become a plan of several steps, by a language model or else by rules. The chat asks where the plan is unclear.',
        examples: ['@greeter.greet {"name": "Ada"}'],
      }),
    agent: name.optional().meta({ description: 'With skill and args: a filled form, called as it is.' }),
    skill: z.string().min(1).max(128).optional().meta({ description: "Absent: the agent's only one." }),
    args: values.optional(),
    grant_id: z.string().max(64).optional().meta({ description: 'A grant addressed to the agent, for a message of one step.' }),
    model: z.boolean().default(true).meta({ description: 'False: no language model is asked, even where the account has one.' }),
    handoffs: Handoffs.optional().meta({ description: 'Only for a thread that starts with this message.' }),
  })
  .meta({ id: 'ChatIn', examples: [{ message: '@greeter.greet {"name": "Ada"}' }] });

export const CandidateOut = z
  .strictObject({
    agent: z.string(),
    skill: z.string(),
    title: z.string(),
    description: z.string(),
    mine: z.boolean(),
    score: z.number(),
    schema: values.meta({ description: 'JSON Schema of the arguments: the form.' }),
    args: values.meta({ description: 'Found in the message, word for word.' }),
    missing: z.array(z.string()).meta({ description: 'Required and not found.' }),
    say: z.string().meta({ description: 'The message that calls it, to be completed.' }),
  })
  .meta({ id: 'CandidateOut' });

const TurnRun = z
  .strictObject({
    run_id: z.string(),
    job_id: z.string(),
    agent: z.string(),
    skill: z.string(),
    state: JobState,
    result: z.unknown(),
    error: Fault.nullable(),
    receipt_id: z.string().nullable(),
  })
  .meta({ id: 'TurnRun' });

export const TurnOut = z
  .strictObject({
    turn_id: z.string(),
    thread_id: z.string(),
    state: z.enum(RUN_STATES),
    reading: z.enum(['call', 'picked', 'candidates', 'plan', 'model', 'nothing']).meta({
      description: 'How the message was understood: as a call, as words that one skill fits, that several may fit, as a plan, by a model, not at all.',
    }),
    text: z.string().meta({ description: 'The answer of the platform; empty while it works.' }),
    candidates: z.array(CandidateOut),
    job_id: z.string().nullable().meta({ description: "The run's or the plan's: cancelled there." }),
    dag_run_id: z.string().nullable(),
    runs: z.array(TurnRun),
    waits: z.array(WaitCard),
    error: Fault.nullable(),
    first_seq: z.int().meta({ description: "Number of the turn's first event in its thread." }),
    last_seq: z.int().nullable(),
    created_at: Instant,
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'TurnOut' });

export const chat = group({
  send: {
    at: 'POST /v1/me/chat',
    summary: 'Send a message: skills are called, or suggested with the form of their arguments',
    description:
      "Answers when the turn has ended, or waits for a decision, or after 60 seconds (`Prefer: wait=N`, 300 at most); work in progress then continues, and the thread's activity reports it. With `Accept: text/event-stream`: the thread's events of the turn, to its end. A repeated request with the same idempotency key is the same turn.",
    scope: 'account',
    headers: z.object({ 'idempotency-key': z.string().min(1).max(128).optional(), prefer: z.string().max(256).optional() }),
    body: ChatIn,
    out: passthrough(TurnOut),
    errors: [400, 401, 402, 403, 404, 409, 503],
  },
  decideHandoff: {
    at: 'POST /v1/me/chat/approvals/{approval_id}',
    summary: 'Decide whether an agent may call another one',
    description:
      'Approved, exactly that call goes through, once. The same decision again is answered the same, another one is 409 with what stands, one after the deadline 410.',
    scope: 'account',
    params: z.object({ approval_id: waitId('hof') }),
    body: z.strictObject({ decision: z.enum(DECISIONS), reason: z.string().max(2000).default(''), for: votesFor }).meta({ id: 'HandoffDecisionIn' }),
    out: HandoffDecidedOut,
    errors: [401, 403, 404, 409, 410],
  },
  giveInput: {
    at: 'POST /v1/me/chat/input-requests/{request_id}',
    summary: "Fill a skill's form",
    description:
      'Checked against the JSON Schema it was asked with. The same answer again is answered the same, another one is 409 with what stands, one after the deadline 410.',
    scope: 'account',
    params: z.object({ request_id: waitId('inr') }),
    body: z
      .strictObject({
        values: z.union([values, z.array(z.unknown()), z.string().max(65_536), z.number(), z.boolean()]).meta({ examples: [{}] }),
      })
      .meta({ id: 'InputIn' }),
    out: InputGivenOut,
    errors: [401, 403, 404, 409, 410],
  },
  answerQuestion: {
    at: 'POST /v1/me/chat/questions/{question_id}',
    summary: "Reply to a skill's question",
    description:
      'The answer is kept at once, and the skill continues with it. The same reply again is answered the same, another one is 409 with what stands, one after the deadline 410.',
    scope: 'account',
    params: z.object({ question_id: waitId('qst') }),
    body: z
      .strictObject({
        answer: z
          .union([z.string().max(65_536), z.record(z.string(), z.unknown())])
          .meta({ description: 'A text of at most 64 KiB, or the values of the form that was asked for.', examples: ['blue'] }),
      })
      .meta({ id: 'QuestionAnswerIn' }),
    out: QuestionAnsweredOut,
    errors: [401, 403, 404, 409, 410],
  },
  decideScope: {
    at: 'POST /v1/me/chat/scope-approvals/{approval_id}',
    summary: "Decide on a skill's request for a wider grant",
    description:
      'Approved, the grant is signed at that moment and handed to the skill. The same decision again is answered the same, another one is 409 with what stands, one after the deadline 410.',
    scope: 'account',
    params: z.object({ approval_id: waitId('scr') }),
    body: z.strictObject({ decision: z.enum(DECISIONS), reason: z.string().max(2000).default(''), for: votesFor }).meta({ id: 'ScopeDecisionIn' }),
    out: ScopeDecidedOut,
    errors: [401, 403, 404, 409, 410],
  },
});
