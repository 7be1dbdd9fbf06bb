// An organization with members, an agent of it, and what its runs ask.
import { randomUUID } from 'node:crypto';
import type { ApprovalRule } from '#contract/orgs/approvals.ts';
import type { OrganizationRole } from '#contract/states.ts';
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { setApprovalPolicy } from '#core/orgs/approval/policy.ts';
import { actingAs, freeSeats, joined, testOrganization, type TestOrganization } from '#core/orgs/test/organization.ts';
import { decideScope } from '#core/pauses/decision/card.ts';
import { type Approvable, openWait } from '#core/pauses/wait/open.ts';
import type { TestContext, TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf, type TestRun } from '#test/support/runs.ts';

export type Member = TestUser & { memberId: string };

export interface World {
  organization: TestOrganization;
  agent: LiveAgent;
  /** Acts for the organization. */
  member(role: OrganizationRole, name?: string): Promise<Member>;
  rules(...rules: Partial<ApprovalRule>[]): Promise<unknown>;
  /** A request of a run that this person started. */
  asks(starter: TestUser, more?: { read?: string[]; timeoutSeconds?: number; approval?: Partial<Approvable> }): Promise<{ id: string; run: TestRun }>;
}

export async function approvalWorld(t: TestContext): Promise<World> {
  const organization = await testOrganization(t);
  await freeSeats(t.ctx, 100);
  const agent = await liveAgent(t.ctx, organization.id);
  return {
    organization,
    agent,
    member: async (role, name) => actingAs(await joined(t, organization, role, name ?? `${role}-${randomUUID().slice(0, 8)}`), organization.slug),
    rules: (...rules) => setApprovalPolicy(organization.owner, { slug: organization.slug, rules: rules.map((rule, at) => wholeRule(rule, at)) }),
    asks: async (starter, { read = ['docs/a.txt'], timeoutSeconds = 3_600, approval } = {}) => {
      const person = starter.actor.member?.person_id ?? starter.actor.user_id;
      const run = runOf(t.ctx, agent, organization.id, { caller: { kind: 'user', id: person } });
      const id = `scr_${randomUUID()}`;
      const request = {
        bucket: `usr:${organization.id}`,
        grant_id: null,
        old: null,
        read,
        write_prefix: null,
        mode: 'read_only' as const,
        ttl_seconds: 60,
        deny_patterns: [],
        reason: 'to read',
        files: [],
      };
      await inTx(run, (ctx) =>
        openWait(ctx, {
          waitId: id,
          kind: 'scope_request',
          prompt: 'may I?',
          request,
          timeoutSeconds,
          approval: { subject: 'scope_request', paths: read, ...approval },
        }),
      );
      return { id, run };
    },
  };
}

function wholeRule(rule: Partial<ApprovalRule>, at: number): ApprovalRule {
  return { name: `rule-${at}`, when: {}, approvers: { role: 'admin', need: 2 }, starter_may_count: false, deadline_seconds: 600, ...rule };
}

/** In a request of its own. */
export const anew = <U extends TestUser>(user: U): U => ({ ...user, requestId: newId('req') });

export const votes = (user: TestUser, id: string, decision: 'approve' | 'deny' = 'approve', more: { for?: string; reason?: string } = {}) =>
  decideScope(anew(user), { approval_id: id, decision, reason: '', ...more });

export const personId = (user: TestUser): string => user.actor.member?.person_id ?? user.actor.user_id;
