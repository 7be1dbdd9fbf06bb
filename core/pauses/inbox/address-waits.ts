// To whom the mail of a wait goes: the person asked; of an organization those who may still vote on it, else
// those who began the run, else those who may answer. A wait that moves to its second stage is addressed
// again.
import type { Knex } from 'knex';
import { MAIL_AFTER_SECONDS } from '#contract/pauses/inbox.ts';
import type { OrganizationRole } from '#contract/states.ts';
import type { WaitsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { isOrganizationId } from '../../kernel/ids.ts';
import { roleAllows } from '../../kernel/roles.ts';
import { system } from '../../kernel/act.ts';
import { startersOf } from '../approval/starters.ts';
import { activeMembers, type Electorate, electorateOf, principalsOf, tally, votesOf } from '../approval/tally.ts';

const A_ROUND = 100;
/** SQL of an index (waits_unaddressed). */
const UNADDRESSED = `state = 'pending' and mail_stage is distinct from coalesce(approval_stage, 0)`;

/** Writes a row for each of them who asked for mail before the wait was opened. */
export async function addressWaits(ctx: Ctx): Promise<void> {
  const now = ctx.clock();
  await system(ctx, async (ctx) => {
    const waits = await ctx
      .db('waits')
      .whereRaw(UNADDRESSED)
      .where('created_at', '<', new Date(now - MAIL_AFTER_SECONDS * 1000))
      .where('expires_at', '>', new Date(now))
      .orderBy('created_at')
      .limit(A_ROUND)
      .forUpdate()
      .skipLocked();
    const electorates = new Map<string, Electorate>();
    for (const wait of waits) await address(ctx.db, wait, await addresseesOf(ctx.db, wait, electorates, now), now);
  });
}

async function address(tx: Knex.Transaction, { wait_id, created_at, approval_stage }: WaitsRow, addressees: readonly string[], now: number): Promise<void> {
  await tx.raw(
    `insert into wait_mails (wait_id, user_id, created_at)
     select :wait_id, n.user_id, :now from notifications n where n.user_id = any (:addressees::text[]) and n.mail_from <= :created_at
     on conflict do nothing`,
    { wait_id, addressees: [...addressees], created_at, now: new Date(now) },
  );
  await tx('waits')
    .where({ wait_id })
    .update({ mail_stage: approval_stage ?? 0 });
}

/** user_ids. */
async function addresseesOf(tx: Knex.Transaction, wait: WaitsRow, electorates: Map<string, Electorate>, now: number): Promise<string[]> {
  const { asked_of } = wait;
  if (wait.asked_kind === 'people') return peopleOf(tx, wait);
  if (!isOrganizationId(asked_of)) return [asked_of];
  const electorate = electorates.get(asked_of) ?? (await electorateOf(tx, asked_of, now));
  electorates.set(asked_of, electorate);
  if (wait.approval !== null) return voters(tx, wait, electorate);
  return wait.asked_kind === 'caller' ? answerers(tx, wait, electorate) : othersThanStarters(wait, electorate);
}

async function voters(tx: Knex, wait: WaitsRow, electorate: Electorate): Promise<string[]> {
  const { missing } = tally(wait, await votesOf(tx, [wait.wait_id]), electorate);
  const delegates = electorate.delegations.map(({ to_id }) => to_id);
  return [...missing, ...delegates.filter((id) => principalsOf(wait, electorate, id).some(({ from_id }) => missing.includes(from_id)))];
}

/** Those who still are members, and guests who still have scopes. */
async function peopleOf(tx: Knex, { asked_of, agent_id, asked_people, asked_guests }: WaitsRow): Promise<string[]> {
  const guests = await tx('caller_scopes')
    .where({ agent_id: agent_id ?? '' })
    .whereIn('user_id', asked_guests)
    .pluck('user_id');
  if (!isOrganizationId(asked_of)) return [...asked_people, ...guests];
  const members = await activeMembers(tx, asked_of).whereIn('user_id', asked_people);
  return [...members.flatMap(({ user_id }) => user_id ?? []), ...guests];
}

/** Of the owner, or of a role. */
function othersThanStarters({ asked_role, barred }: WaitsRow, { people }: Electorate): string[] {
  const able = (role: OrganizationRole): boolean => (asked_role === null ? roleAllows(role, 'wait.resolve') : role === asked_role);
  return [...people.values()].filter(({ user_id, role }) => able(role) && !barred.includes(user_id)).map(({ user_id }) => user_id);
}

async function answerers(tx: Knex, { run_id, job_id }: WaitsRow, { people }: Electorate): Promise<string[]> {
  const able = [...people.values()].filter(({ role }) => roleAllows(role, 'wait.resolve')).map(({ user_id }) => user_id);
  const run = run_id === null ? undefined : await tx('runs').where({ run_id }).first('root_run_id');
  const starters = await startersOf(tx, { run_id, root_run_id: run?.root_run_id ?? null, job_id });
  const ableStarters = able.filter((id) => starters.includes(id));
  return ableStarters.length > 0 ? ableStarters : able;
}
