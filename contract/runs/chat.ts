// Talking to the platform. Here: what a person answers to skills that wait for them.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Instant } from '../shared.ts';
import { WorkspaceMode } from '../wire/card.ts';

const waitId = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-f-]{36}$`), `${prefix}_ and a UUID, as the event says it`);

/** What was asked, by whom, and what came of it. */
const asked = {
  agent: z.string(),
  skill: z.string(),
  prompt: z.string(),
  expires_at: Instant,
};

const Reach = z
  .strictObject({ allow_patterns: z.array(z.string()), mode: z.string(), outputs_prefix: z.string().nullable() })
  .meta({ id: 'ScopeReach', description: 'What the grant held so far allows.' });

export const QuestionAnsweredOut = z.strictObject({ question_id: z.string(), state: z.literal('answered'), ...asked }).meta({ id: 'QuestionAnsweredOut' });

export const ScopeDecidedOut = z
  .strictObject({
    approval_id: z.string(),
    state: z.enum(['approved', 'denied']),
    ...asked,
    reason: z.string().meta({ description: "The agent's, for asking." }),
    old: Reach.nullable(),
    requested: z.strictObject({
      read: z.array(z.string()),
      write_prefix: z.string().nullable(),
      mode: WorkspaceMode,
      ttl_seconds: z.int().meta({ description: 'Counts from the approval.' }),
    }),
  })
  .meta({ id: 'ScopeDecidedOut' });

export const chat = group({
  answerQuestion: {
    at: 'POST /v1/me/chat/questions/{question_id}',
    summary: "Reply to a skill's question",
    description: 'The skill goes on with the answer. A second reply is 409, one after the deadline 410. Send a lost request again under the same x-request-id.',
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
    errors: [401, 403, 404, 409, 410, 503],
  },
  decideScope: {
    at: 'POST /v1/me/chat/scope-approvals/{approval_id}',
    summary: "Decide on a skill's wish for a wider grant",
    description: 'Approved, the grant is signed at that moment and handed to the skill. A second decision is 409, one after the deadline 410.',
    scope: 'account',
    params: z.object({ approval_id: waitId('scr') }),
    body: z.strictObject({ decision: z.enum(['approve', 'deny']), reason: z.string().max(2000).default('') }).meta({ id: 'ScopeDecisionIn' }),
    out: ScopeDecidedOut,
    errors: [401, 403, 404, 409, 410, 503],
  },
});
