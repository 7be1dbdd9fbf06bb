// How a decision of an organization stands that several of its members take together.
import { z } from 'zod';
import { Instant } from '../shared.ts';
import { DECISIONS, ORGANIZATION_ROLES } from '../states.ts';

const Person = z.strictObject({ user_id: z.string(), email: z.string().nullable() }).meta({ id: 'ApprovalPerson' });

const ApprovalVoteOut = z
  .strictObject({
    by: Person,
    for: Person.nullable().meta({ description: 'The person whose delegate they voted as; null: for themselves.' }),
    decision: z.enum(DECISIONS),
    at: Instant,
    counts: z.boolean().meta({ description: 'False: they left the organization, or have another role since.' }),
  })
  .meta({ id: 'ApprovalVoteOut' });

export const ApprovalOut = z
  .strictObject({
    rule: z.string().meta({ description: 'Name of the rule of the organization that asks for it.' }),
    policy_version: z.int().min(1).meta({ description: 'Version of the rules when the wait began: a later change does not affect it.' }),
    policy_sha256: z.string(),
    stage: z.int().min(1).meta({ description: '2: it was escalated.' }),
    role: z.enum(ORGANIZATION_ROLES).nullable().meta({ description: 'Role whose members may vote; null: the people named.' }),
    need: z.int().min(1).meta({ description: 'Required number of approvals. One denial ends it.' }),
    approved: z.int().min(0),
    votes: z.array(ApprovalVoteOut),
    missing: z.array(Person).meta({ description: 'The people who may still vote, 50 at most.' }),
    at_deadline: z.enum(['deny', 'escalate']).meta({ description: 'What happens at expires_at.' }),
    may_vote: z.boolean().meta({ description: 'Whether the caller may vote, for themselves or for somebody in may_vote_for.' }),
    may_vote_for: z.array(Person).meta({ description: 'The people who named the caller as their delegate.' }),
    voted: z.enum(DECISIONS).nullable().meta({ description: "The caller's vote." }),
  })
  .meta({ id: 'ApprovalOut' });
export type ApprovalOut = z.infer<typeof ApprovalOut>;

/** In a decision. */
export const votesFor = z
  .string()
  .min(1)
  .max(254)
  .optional()
  .meta({ description: 'Where a rule of the organization asks several: the user id or address of the member whose delegate one is. Absent: for oneself.' });
