// Who in an organization must approve what its agents ask: rules, and members who vote for others.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { Instant, SequenceNumber, trimmedText } from '../shared.ts';
import { APPROVAL_SUBJECTS } from '../states.ts';
import { isPattern, MAX_PATTERN_LENGTH } from '../wire/patterns.ts';
import { OrganizationParams, OrganizationRole } from './organizations.ts';

const MAX_APPROVAL_RULES = 100;
const MAX_APPROVERS = 20;
const MAX_NEEDED = 5;
const MAX_AMOUNT_MICROS = 1_000_000_000_000;
/** As long as a call of another agent waits at most. */
const MAX_APPROVAL_SECONDS = 86_400;
export const MAX_DELEGATION_DAYS = 90;
/** Of one member, that are not over. */
export const MAX_DELEGATIONS = 20;

const need = z.int().min(1).max(MAX_NEEDED);
const seconds = z.int().min(1).max(MAX_APPROVAL_SECONDS);

export const Approvers = z
  .union([
    z.strictObject({
      people: z
        .array(z.string().min(1).max(254))
        .min(1)
        .max(MAX_APPROVERS)
        .meta({ description: 'User ids or addresses of active members; user ids in answers.', examples: [['ben@example.com']] }),
      need: need.optional().meta({ description: 'Required number of them; absent: all.' }),
    }),
    z.strictObject({ role: OrganizationRole, need: need.meta({ description: 'Required number of its members, in any combination.' }) }),
  ])
  .meta({ id: 'Approvers' });
export type Approvers = z.infer<typeof Approvers>;

const glob = z.string().regex(/^[a-z0-9_.*-]{1,128}$/i, 'use a name; * stands for any characters');
const pattern = z.string().max(MAX_PATTERN_LENGTH).refine(isPattern, 'is not a pattern of paths');

export const ApprovalRule = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9-]{1,64}$/, 'use lower-case letters, digits and "-"'),
    when: z
      .strictObject({
        subjects: z.array(z.enum(APPROVAL_SUBJECTS)).min(1).max(APPROVAL_SUBJECTS.length).optional(),
        agents: z.array(glob).min(1).max(50).optional().meta({ description: 'The agent that asks, or that is to be called.' }),
        skills: z.array(glob).min(1).max(50).optional().meta({ description: 'Skills of the same agent.' }),
        paths: z.array(pattern).min(1).max(50).optional().meta({ description: 'It asks for a file that one of these patterns matches.' }),
        min_amount_micros: z
          .int()
          .min(0)
          .max(MAX_AMOUNT_MICROS)
          .optional()
          .meta({ description: 'Micro-credits: what the call may cost at most is as much or more.' }),
      })
      .meta({ id: 'ApprovalRuleWhen', description: 'All that is said must hold. Nothing said: whatever is to be approved.' }),
    approvers: Approvers,
    starter_may_count: z.boolean().default(false).meta({ description: 'Whether who started the run may approve it.' }),
    deadline_seconds: seconds,
    escalate: z
      .strictObject({ approvers: Approvers, deadline_seconds: seconds })
      .optional()
      .meta({ id: 'ApprovalEscalation', description: 'The people who are asked after the deadline. Absent: it is denied then.' }),
  })
  .meta({ id: 'ApprovalRule' });
export type ApprovalRule = z.infer<typeof ApprovalRule>;

const Member = z.strictObject({ user_id: z.string(), email: z.string().nullable(), active: z.boolean() }).meta({ id: 'ApprovalMember' });

export const ApprovalPolicyOut = z
  .strictObject({
    version: z.int().min(0).meta({ description: '0: no rules were ever set.' }),
    sha256: z.string().nullable().meta({ description: 'SHA-256 of the canonical JSON (RFC 8785) of version and rules.' }),
    rules: z.array(ApprovalRule),
    people: z.array(Member).meta({ description: 'The people whom the rules name.' }),
    made_by: z.string().nullable(),
    made_at: Instant.nullable(),
  })
  .meta({ id: 'ApprovalPolicyOut' });

export const DelegationOut = z
  .strictObject({
    delegation_id: z.string(),
    from: Member,
    to: Member,
    starts_at: Instant,
    ends_at: Instant,
    state: z.enum(['planned', 'active', 'over', 'revoked']),
  })
  .meta({ id: 'ApprovalDelegationOut' });

export const organizationApprovals = svcGroup({
  policy: {
    at: 'GET /v1/me/organizations/{slug}/approval-policy',
    summary: 'List the approval rules',
    scope: 'account',
    personal: true,
    params: OrganizationParams,
    out: ApprovalPolicyOut,
    errors: [401, 403, 404],
  },
  setPolicy: {
    at: 'PUT /v1/me/organizations/{slug}/approval-policy',
    summary: 'Say who must approve what',
    description:
      'For owners and admins. The first rule that fits counts; where none fits, any one member who may decide does, as before. A wait that is open keeps the rule it began with.',
    scope: 'account',
    personal: true,
    params: OrganizationParams,
    body: z
      .strictObject({
        rules: z.array(ApprovalRule).max(MAX_APPROVAL_RULES),
        version: SequenceNumber.optional().meta({ description: 'Version of the rules that these replace; another one is 409.' }),
      })
      .meta({ id: 'ApprovalPolicyIn' }),
    out: ApprovalPolicyOut,
    errors: [401, 403, 404, 409],
  },
  delegations: {
    at: 'GET /v1/me/organizations/{slug}/approval-delegations',
    summary: 'List the delegations of votes, newest first',
    description: 'Delegations of the last 90 days, 200 at most.',
    scope: 'account',
    personal: true,
    params: OrganizationParams,
    out: z.strictObject({ items: z.array(DelegationOut) }).meta({ id: 'ApprovalDelegationsOut' }),
    errors: [401, 403, 404],
  },
  delegate: {
    at: 'POST /v1/me/organizations/{slug}/approval-delegations',
    summary: 'Let another member vote for you, for a time',
    description: `Their votes say for whom. A member has one vote on each decision, their own or a delegate's. For ${MAX_DELEGATION_DAYS} days at most.`,
    scope: 'account',
    personal: true,
    params: OrganizationParams,
    body: z
      .strictObject({
        to: trimmedText(254).meta({ description: 'User id or address of an active member.', examples: ['ben@example.com'] }),
        starts_at: z.iso.datetime({ offset: true }).optional().meta({ description: 'Absent: now.' }),
        ends_at: z.iso.datetime({ offset: true }),
      })
      .meta({ id: 'ApprovalDelegationIn' }),
    out: DelegationOut,
    status: 201,
    errors: [401, 403, 404, 409, 429],
    limit: 'create',
  },
  endDelegation: {
    at: 'DELETE /v1/me/organizations/{slug}/approval-delegations/{delegation_id}',
    summary: 'End a delegation',
    description: 'Your own; an owner or admin ends any. Votes that were given under it stay.',
    scope: 'account',
    personal: true,
    params: OrganizationParams.extend({ delegation_id: z.string().max(64) }),
    status: 204,
    errors: [401, 403, 404],
  },
});
