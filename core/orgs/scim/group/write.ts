// Making, changing and removing groups. Each write settles the roles of whom it concerns, in its transaction.
import type { Knex } from 'knex';
import type { ScimConditions } from '#contract/orgs/scim.ts';
import type { ScimGroupsRow } from '#db/tables.ts';
import { act, done, unchanged } from '../../../kernel/act.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { Conflict } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { storableText } from '../../../kernel/storable.ts';
import { lockMembers } from '../../member/find.ts';
import { type Document, fold } from '../schema/attribute.ts';
import { GROUPS } from '../schema/group.ts';
import { valueInvalid } from '../error.ts';
import { readResource } from '../document/read.ts';
import type { Selection } from '../document/select.ts';
import { syncRoles } from '../member/role.ts';
import { checkVersion, type ScimOrganization, scimOrganization } from '../of.ts';
import { requireScimRoom } from '../room.ts';
import { applyChange } from '../patch/apply.ts';
import { changesOf, operationsOf } from '../patch/changes.ts';
import type { Presented } from '../user/present.ts';
import { changedMembers, readMembers, storeMembers } from './members.ts';
import { presentOneGroup } from './present.ts';
import { groupRow } from './read.ts';

type Written = Selection & { body: Document; group_id: string; conditions: ScimConditions };

/**
 * `id`: one that other resources of its transaction name already; absent: a new one. @throws BadRequest
 * scim_value_invalid; Conflict scim_not_unique, scim_too_many
 */
export async function createScimGroup(ctx: Ctx, i: Selection & { body: Document; id?: string }): Promise<Presented> {
  return act(ctx, 'scim_group.create', scimOrganization, async (ctx, of) => {
    const document = readResource(GROUPS, i.body);
    const columns = columnsOf(document);
    const add = readMembers(document['members']);
    await lockMembers(ctx.db, of.organization_id);
    const scim_id = i.id ?? newId('scg', ctx.clock());
    const at = new Date(ctx.clock());
    const facts = { scim_id, organization_id: of.organization_id, version: 1, created_at: at, updated_at: at };
    const [row] = await ctx.db('scim_groups').insert({ ...facts, ...columns }).onConflict().ignore().returning('*'); // prettier-ignore
    if (!row) throw notUnique();
    await requireScimRoom(ctx.db, of.organization_id, 'scim_groups');
    await syncRoles(ctx, await storeMembers(ctx.db, { group_id: scim_id, organization_id: of.organization_id }, { add, remove: new Set() }));
    return done({ scim_group: scim_id }, { members: add.size }, await presentOneGroup(ctx.db, of, row, i));
  });
}

/** @throws as createScimGroup; PreconditionFailed scim_version */
export async function replaceScimGroup(ctx: Ctx, i: Written): Promise<Presented> {
  const document = readResource(GROUPS, i.body);
  const wanted = readMembers(document['members']);
  return change(ctx, i, async (_, current) => {
    const before = await current();
    return {
      columns: columnsOf(document),
      members: { add: new Set([...wanted].filter((id) => !before.has(id))), remove: new Set([...before].filter((id) => !wanted.has(id))) },
    };
  });
}

/**
 * @throws BadRequest, each of SCIM; Conflict scim_not_unique; PreconditionFailed scim_version; NotFound
 * scim_group_not_found
 */
export async function patchScimGroup(ctx: Ctx, i: Written): Promise<Presented> {
  const changes = changesOf(GROUPS, operationsOf(i.body));
  const isOfMembers = (one: (typeof changes)[number]): boolean => one.place.attribute.name === 'members';
  return change(ctx, i, async (row, current) => {
    const document: Document = { displayName: row.display_name, ...(row.external_id !== null && { externalId: row.external_id }) };
    for (const one of changes) if (!isOfMembers(one)) applyChange(document, one);
    return { columns: columnsOf(document), members: await changedMembers(changes.filter(isOfMembers), current) };
  });
}

interface Next {
  columns: ReturnType<typeof columnsOf>;
  members: { add: Set<string>; remove: Set<string> };
}

async function change(ctx: Ctx, i: Written, to: (row: ScimGroupsRow, current: () => Promise<ReadonlySet<string>>) => Promise<Next>): Promise<Presented> {
  return act(ctx, 'scim_group.update', scimOrganization, async (ctx, of) => {
    await lockMembers(ctx.db, of.organization_id);
    const before = await groupRow(ctx.db, of, i.group_id);
    checkVersion(before.version, i.conditions);
    const current = async () =>
      new Set((await ctx.db('scim_group_members').where({ group_id: before.scim_id }).select('user_id')).map(({ user_id }) => user_id));
    const { columns, members } = await to(before, current);
    const isRenamed = columns.display_name_folded !== before.display_name_folded;
    if (isRenamed) await freeOf(ctx.db, of, columns.display_name_folded);
    // All of them have the roles of another name then.
    const everybody = isRenamed ? [...(await current())] : [];
    const concerned = await storeMembers(ctx.db, { group_id: before.scim_id, organization_id: of.organization_id }, members);
    const isSame = columns.display_name === before.display_name && columns.external_id === before.external_id && concerned.length === 0;
    if (isSame) return unchanged(await presentOneGroup(ctx.db, of, before, i));
    const [row] = await ctx
      .db('scim_groups')
      .where({ scim_id: before.scim_id })
      .update({ ...columns, version: before.version + 1, updated_at: new Date(ctx.clock()) })
      .returning('*');
    if (!row) throw new Error('a group went in the lock of its organization');
    await syncRoles(ctx, [...new Set([...everybody, ...concerned])]);
    return done({ scim_group: row.scim_id }, { members: concerned.length }, await presentOneGroup(ctx.db, of, row, i));
  });
}

/** @throws NotFound scim_group_not_found; PreconditionFailed scim_version */
export async function deleteScimGroup(ctx: Ctx, i: { group_id: string; conditions: ScimConditions }): Promise<void> {
  await act(ctx, 'scim_group.delete', scimOrganization, async (ctx, of) => {
    await lockMembers(ctx.db, of.organization_id);
    const row = await groupRow(ctx.db, of, i.group_id);
    checkVersion(row.version, i.conditions);
    const gone = await ctx.db('scim_group_members').where({ group_id: row.scim_id }).del().returning('user_id');
    await ctx.db('scim_groups').where({ scim_id: row.scim_id }).del();
    await syncRoles(
      ctx,
      gone.map(({ user_id }) => user_id),
    );
    return done({ scim_group: row.scim_id }, { members: gone.length });
  });
}

function columnsOf(document: Document): Pick<ScimGroupsRow, 'display_name' | 'display_name_folded' | 'external_id'> {
  const { displayName, externalId } = document;
  if (typeof displayName !== 'string' || displayName.trim() === '') throw valueInvalid('"displayName" is required');
  const display_name = storableText(displayName);
  return { display_name, display_name_folded: fold(display_name), external_id: typeof externalId === 'string' ? storableText(externalId) : null };
}

async function freeOf(tx: Knex.Transaction, of: ScimOrganization, display_name_folded: string): Promise<void> {
  if (await tx('scim_groups').where({ organization_id: of.organization_id, display_name_folded }).first('scim_id')) throw notUnique();
}

function notUnique(): Conflict {
  return new Conflict('scim_not_unique', 'The organization has another group of this displayName: change that one, or use another name');
}
