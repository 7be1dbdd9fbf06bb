// Making, changing and removing users. Each write settles the member too, in its transaction.
import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import type { ScimConditions } from '#contract/orgs/scim.ts';
import type { ScimUsersRow } from '#db/tables.ts';
import { act, done, unchanged } from '../../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../../kernel/ctx.ts';
import { Conflict } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { lockMembers } from '../../member/find.ts';
import type { Document } from '../schema/attribute.ts';
import { USERS } from '../schema/user.ts';
import { readResource } from '../document/read.ts';
import type { Selection } from '../document/select.ts';
import { syncRoles } from '../member/role.ts';
import { removeScimMember, syncMember } from '../member/sync.ts';
import { checkVersion, type ScimOrganization, scimOrganization } from '../of.ts';
import { requireScimRoom } from '../room.ts';
import { applyChange } from '../patch/apply.ts';
import { changesOf, operationsOf } from '../patch/changes.ts';
import { type Presented, presentOne } from './present.ts';
import { userRow } from './read.ts';
import { addValues, scimUserColumns, storeValues } from './store.ts';

type Written = Selection & { body: Document; user_id: string; conditions: ScimConditions };

/**
 * `id`: one that other resources of its transaction name already; absent: a new one.
 * @throws BadRequest scim_value_invalid; Conflict scim_not_unique, scim_too_many; PaymentRequired seats_taken
 */
export async function createScimUser(ctx: Ctx, i: Selection & { body: Document; id?: string }): Promise<Presented> {
  return act(ctx, 'scim_user.create', scimOrganization, async (ctx, of) => {
    const { organization_id } = of;
    const read = readResource(USERS, i.body);
    const document: Document = { ...read, active: read['active'] ?? true };
    const columns = scimUserColumns(document, true);
    await lockMembers(ctx.db, organization_id);
    const scim_id = i.id ?? newId('scu', ctx.clock());
    const at = new Date(ctx.clock());
    const facts = { scim_id, organization_id, version: 1, created_at: at, updated_at: at };
    const [row] = await ctx.db('scim_users').insert({ ...facts, ...columns }).onConflict().ignore().returning('*'); // prettier-ignore
    if (!row) throw notUnique();
    await requireScimRoom(ctx.db, organization_id, 'scim_users');
    await addValues(ctx.db, organization_id, scim_id, document);
    await syncMemberAndRoles(ctx, row, true);
    return done({ scim_user: scim_id }, { active: row.active }, await presentOne(ctx.db, of, row, i));
  });
}

/**
 * What is left out is unassigned; but who is disabled stays it until the client says otherwise. @throws as
 * createScimUser; PreconditionFailed scim_version
 */
export async function replaceScimUser(ctx: Ctx, i: Written): Promise<Presented> {
  const sent = readResource(USERS, i.body);
  return change(ctx, i, (before) => ({ ...sent, active: sent['active'] ?? before['active'] ?? true }));
}

/**
 * @throws BadRequest, each of SCIM; Conflict scim_not_unique, last_owner; PreconditionFailed scim_version;
 * NotFound scim_user_not_found
 */
export async function patchScimUser(ctx: Ctx, i: Written): Promise<Presented> {
  const changes = changesOf(USERS, operationsOf(i.body));
  return change(ctx, i, (before) => {
    const document = structuredClone(before);
    for (const one of changes) applyChange(document, one);
    return document;
  });
}

async function change(ctx: Ctx, i: Written, to: (before: Document) => Document): Promise<Presented> {
  return act(ctx, 'scim_user.update', scimOrganization, async (ctx, of) => {
    await lockMembers(ctx.db, of.organization_id);
    const before = await userRow(ctx.db, of, i.user_id);
    checkVersion(before.version, i.conditions);
    const was: Document = { ...Object(before.document) };
    const document = to(was);
    // Clients send everything again and again: what changes nothing is no new version.
    if (isDeepStrictEqual(was, document)) return unchanged(await presentOne(ctx.db, of, before, i));
    const columns = scimUserColumns(document, before.active);
    await freeOf(ctx.db, of, before.scim_id, columns);
    const [row] = await ctx
      .db('scim_users')
      .where({ scim_id: before.scim_id })
      .update({ ...columns, version: before.version + 1, updated_at: new Date(ctx.clock()) })
      .returning('*');
    if (!row) throw new Error('a user went in the lock of its organization');
    await storeValues(ctx.db, of.organization_id, row.scim_id, document);
    await syncMemberAndRoles(ctx, row, before.active);
    return done({ scim_user: row.scim_id }, { active: row.active }, await presentOne(ctx.db, of, row, i));
  });
}

/** @throws NotFound scim_user_not_found; Conflict last_owner; PreconditionFailed scim_version */
export async function deleteScimUser(ctx: Ctx, i: { user_id: string; conditions: ScimConditions }): Promise<void> {
  await act(ctx, 'scim_user.delete', scimOrganization, async (ctx, of) => {
    await lockMembers(ctx.db, of.organization_id);
    const row = await userRow(ctx.db, of, i.user_id);
    checkVersion(row.version, i.conditions);
    await ctx.db('scim_users').where({ scim_id: row.scim_id }).del();
    await removeScimMember(ctx, row.member_id);
    return done({ scim_user: row.scim_id }, {});
  });
}

async function syncMemberAndRoles(ctx: TxCtx, row: ScimUsersRow, wasActive: boolean): Promise<void> {
  const member_id = await syncMember(ctx, row, wasActive);
  if (member_id !== row.member_id) await ctx.db('scim_users').where({ scim_id: row.scim_id }).update({ member_id });
  if (member_id !== null) await syncRoles(ctx, [row.scim_id]);
}

async function freeOf(
  tx: Knex.Transaction,
  of: ScimOrganization,
  scimId: string,
  { user_name_folded, email }: { user_name_folded: string; email: string | null },
): Promise<void> {
  const taken = await tx('scim_users')
    .where({ organization_id: of.organization_id })
    .whereNot({ scim_id: scimId })
    .where((either) => {
      void either.where({ user_name_folded });
      if (email !== null) void either.orWhere({ email });
    })
    .first('scim_id');
  if (taken) throw notUnique();
}

function notUnique(): Conflict {
  return new Conflict('scim_not_unique', 'The organization has another user with this userName, or with this address of mail: change that one instead');
}
