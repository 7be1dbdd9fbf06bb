// A person ends what is signed in as them. What it opened ends with it: everything looks at who opened it
// (sign_in_holds).
import type { Knex } from 'knex';
import { endGrant } from '#drivers/idp/adapter.ts';
import { act, done, recorded, unchanged } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { personOf, type UserActor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { forgetSignIns } from '../program-sign-in/require.ts';

/** @throws NotFound sign_in_not_found: unknown, ended already, or another person's */
export async function endSignIn(ctx: Ctx, { sign_in_id: given }: { sign_in_id: string }): Promise<void> {
  const user = requireUser(ctx, 'sign_in.end');
  const id = given === 'current' ? (user.sign_in ?? '') : given;
  if (id.startsWith('ses_')) await endAtProvider(ctx, user);
  await act(ctx, 'sign_in.end', requireUser, async (ctx, user) => {
    const ended = await end(ctx.db, user, (rows, column) => rows.where(column, id));
    if (ended.length === 0) throw new NotFound('sign_in_not_found', 'You have no sign-in with this id: list them with svc sign-ins list');
    return done({ sign_in: id }, {});
  });
  forgetSignIns(ctx.db);
}

export async function endOtherSignIns(ctx: Ctx): Promise<{ ended: number }> {
  const user = requireUser(ctx, 'sign_in.end');
  const current = user.sign_in ?? '';
  await endAtProvider(ctx, user);
  const ended = await act(ctx, 'sign_in.end', requireUser, async (ctx, user) => {
    const others = await end(ctx.db, user, (rows, column, openedBy) => {
      void rows.whereNot(column, current);
      return openedBy === undefined ? rows : rows.whereRaw('?? is distinct from ?', [openedBy, current]);
    });
    for (const id of others) await audit(ctx, 'sign_in.end', { sign_in: id }, { others: true });
    return others.length > 0 ? recorded(others) : unchanged(others);
  });
  forgetSignIns(ctx.db);
  return { ended: ended.length };
}

/** A browser that is still signed in at the provider would be signed in here again with one click. */
async function endAtProvider(ctx: Ctx, user: UserActor): Promise<void> {
  const { login } = ctx.drivers;
  if (user.sso !== undefined) return;
  const account = await ctx
    .db('users')
    .where({ user_id: personOf(user) })
    .first('issuer', 'subject');
  if (account !== undefined && account.issuer === login?.issuer) await login.endSessions?.(account.subject);
}

type Which = (rows: Knex.QueryBuilder, column: string, openedBy?: string) => Knex.QueryBuilder;

/** Ids of those that ended. For who signed in by an organization's provider: of those that it made. */
async function end(tx: Knex.Transaction, user: UserActor, which: Which): Promise<string[]> {
  const person = personOf(user);
  const mine = { user_id: person, ...(user.sso && { sso_connection_id: user.sso.connection_id }) };
  const now = { revoked_at: tx.fn.now() };
  // Those that are over only since a clock ran ahead would come back with it.
  const open = `(expires_at is null or expires_at > now() - interval '1 day')`;
  const sessions: { id: string }[] = await which(tx('web_sessions').where(mine).whereNull('revoked_at').whereRaw(open), 'session_id')
    .update(now)
    .returning('session_id as id');
  const tokens: { id: string }[] = await which(
    tx('platform_tokens').where(mine).whereIn('kind', ['user', 'agent_session']).whereNull('revoked_at').whereRaw(open),
    'token_id',
    'opened_by',
  )
    .update(now)
    .returning('token_id as id');
  const ended = [...sessions, ...tokens].map(({ id }) => id);
  if (user.sso !== undefined) return ended;
  const programs: { id: string; grant_hash: string | null }[] = await which(
    tx('program_sign_ins').whereRaw('(issuer, subject) in (select issuer, subject from users where user_id = ?)', [person]).whereNull('ended_at'),
    'sign_in_id',
  )
    .update({ ended_at: tx.fn.now() })
    .returning(['sign_in_id as id', 'grant_hash']);
  for (const { grant_hash } of programs) if (grant_hash !== null) await endGrant(tx, grant_hash);
  const tunnels: { id: string }[] = await which(tx('dev_box_sessions').where({ person_id: person }), 'session_id', 'opened_by')
    .delete()
    .returning('session_id as id');
  return [...ended, ...[...programs, ...tunnels].map(({ id }) => id)];
}
