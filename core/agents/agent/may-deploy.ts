// May this account deploy, upgrade or publish this agent: the one place where that is asked. Rules of the
// account come first, outside of a transaction; operators, findings, the organization and the agent's kind
// decide in it, with the agent's row.
import type { Knex } from 'knex';
import { withControl } from '../../accounts/control.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { recordingDenials, requirePolicy } from '../../policy/deny.ts';
import { freezingFinding } from './frozen.ts';

/** The rules in Cedar of the owner's account. Not in a transaction. @throws Forbidden policy_denied */
export async function requireByRules(ctx: Ctx, i: { accountId: string; name: string; actions: readonly ('deploy' | 'publish')[] }): Promise<void> {
  for (const action of i.actions)
    await recordingDenials(ctx, () => requirePolicy(ctx, { action, accounts: [i.accountId], resource: { type: 'Agent', name: i.name } }));
}

/** What operators allow the account at this moment. @throws Forbidden */
export async function requireByOperators(
  tx: Knex.Transaction,
  user: UserActor,
  { action, publish }: { action: 'agent.deploy' | 'agent.import'; publish: boolean },
): Promise<void> {
  const actor = await withControl(tx, user);
  requireUser({ actor }, action);
  if (publish) requireUser({ actor }, 'agent.publish');
}

export interface Change {
  agent_id: string;
  name: string;
  /** It becomes public, or what is public changes without new source: no critical finding may be open. */
  promotes?: boolean;
  /** Source is deployed under its name. */
  source?: boolean;
}

/**
 * What stands against a new version of the agent. @throws Conflict agent_imported, promotion_frozen,
 * agent_prohibited
 */
export async function requireReleasable(db: Knex, { agent_id, name, promotes = false, source = false }: Change): Promise<void> {
  if (source) await requireSource(db, { agent_id, name });
  if (promotes) await requireNoCriticalFinding(db, { agent_id, name });
  const profile = await db('compliance_profiles').where({ agent_id, risk_tier: 'unacceptable' }).first('agent_id');
  if (profile)
    throw new Conflict(
      'agent_prohibited',
      `Its organization rates the risk of ${name} as unacceptable: it is not deployed or published until the profile says otherwise`,
    );
}

/** @throws Conflict agent_imported */
export async function requireSource(db: Knex, { agent_id, name }: Pick<Change, 'agent_id' | 'name'>): Promise<void> {
  const row = await db('agent_imports').where({ agent_id }).first('agent_id');
  if (row) throw new Conflict('agent_imported', `${name} is imported and has no source here: import it again, or delete it first to deploy under its name`);
}

/** @throws Conflict promotion_frozen, with the finding */
export async function requireNoCriticalFinding(db: Knex, { agent_id, name }: Pick<Change, 'agent_id' | 'name'>): Promise<void> {
  const finding = await freezingFinding(db, agent_id);
  if (!finding) return;
  const { finding_id, title, rule } = finding;
  throw new Conflict(
    'promotion_frozen',
    `${name} has an open critical finding, ${finding_id} (${title}): fix it and answer it, or accept it with a reason (svc findings answer)`,
    { finding_id, rule },
  );
}
