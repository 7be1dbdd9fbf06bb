// A decision as it is kept: what was asked, what was said, and by what.
import { createHash } from 'node:crypto';
import { type Recipient, z } from '@svc/sdk';
import type { WebhookTarget } from './deliver.ts';

export interface Settings {
  /** Who decides; never the requester, unless they are named. */
  ask: Recipient;
  /** What the person is asked, before the request itself. */
  question: string;
  /** Requests up to this amount are approved without a person; null: none. */
  approve_up_to: number | null;
  /** How long the person has. */
  wait_seconds: number;
  webhook: WebhookTarget | null;
}

export const Request = z.object({
  reference: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'use letters, digits, ".", "_" and "-"')
    .describe('Your own name of the request: asked again, it gives the same decision.'),
  title: z.string().trim().min(1).max(200),
  details: z.string().max(4_000).default(''),
  amount: z.number().min(0).max(1e12).optional().describe('In your currency.'),
});
export type Request = z.infer<typeof Request>;

export const Decision = z.object({
  reference: z.string(),
  title: z.string(),
  decision: z.enum(['approved', 'denied']),
  by: z.enum(['person', 'rule']).describe('rule: the amount is below what needs a person.'),
  comment: z.string(),
  decided_at: z.string(),
  /** Of the request that was decided: another under the same reference is refused. */
  fingerprint: z.string(),
});
export type Decision = z.infer<typeof Decision>;

/** What the person fills in. */
export const FORM = {
  type: 'object',
  properties: {
    decision: { type: 'string', enum: ['approve', 'deny'], title: 'Decision' },
    comment: { type: 'string', maxLength: 1000, title: 'Comment' },
  },
  required: ['decision'],
} as const;
const Form = z.object({ decision: z.enum(['approve', 'deny']), comment: z.string().max(1000).default('') });

/** Undefined: the answer says neither. */
export function answerOf(answer: string): { decision: Decision['decision']; comment: string } | undefined {
  const form = Form.safeParse(jsonOf(answer));
  return form.success ? { decision: form.data.decision === 'approve' ? 'approved' : 'denied', comment: form.data.comment } : undefined;
}

/** Clients without forms send only the word. */
function jsonOf(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return { decision: answer.trim().toLowerCase() };
  }
}

export function promptOf(question: string, { title, details, amount }: Request): string {
  return [question, title, ...(amount === undefined ? [] : [`Amount: ${amount}`]), ...(details === '' ? [] : [details])].join('\n');
}

export function fingerprintOf({ title, details, amount }: Request): string {
  return createHash('sha256')
    .update(JSON.stringify([title, details, amount ?? null]))
    .digest('hex')
    .slice(0, 32);
}
