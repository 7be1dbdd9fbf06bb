// Who is in a group, as a change says it: a set of ids before, a set after. Groups are large, and most
// changes name a few of their members.
import type { Knex } from 'knex';
import { GROUPS } from '../schema/group.ts';
import { attributeNamed } from '../schema/place.ts';
import { readOnly, valueInvalid } from '../error.ts';
import { readOne } from '../document/read.ts';
import type { Filter } from '../filter/parse.ts';
import { matches } from '../filter/match.ts';
import type { ScimChange } from '../patch/changes.ts';

const MEMBERS = attributeNamed(GROUPS.schema.attributes, 'members') ?? GROUPS.schema.attributes[0];
/** Of one group. */
const MAX_MEMBERS = 50_000;

/** @throws BadRequest scim_value_invalid for what is no reference to a user */
export function readMembers(value: unknown): Set<string> {
  const values = value === undefined || value === null ? [] : [value].flat();
  if (values.length > MAX_MEMBERS) throw valueInvalid(`"members" may have at most ${MAX_MEMBERS} values`);
  return new Set(values.map(idOf));
}

function idOf(one: unknown): string {
  const read: unknown = MEMBERS && readOne(MEMBERS, one, 'members');
  const { value, type, $ref } = { ...Object(read) };
  if (typeof type === 'string' && type.toLowerCase() !== 'user') throw valueInvalid('"members" are users: groups have no groups in them');
  const id: unknown = value ?? (typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined);
  if (typeof id !== 'string') throw valueInvalid('Each of "members" has a "value": the id of a user');
  return id;
}

/** `current` is read where a change depends on all of them. */
export async function changedMembers(
  changes: readonly ScimChange[],
  current: () => Promise<ReadonlySet<string>>,
): Promise<{ add: Set<string>; remove: Set<string> }> {
  const add = new Set<string>();
  const remove = new Set<string>();
  const put = (id: string): void => void (remove.delete(id), add.add(id));
  const take = (id: string): void => void (add.delete(id), remove.add(id));
  for (const { op, place, filter, value } of changes) {
    // A member is in the group or is not: of one that is, nothing can be changed.
    if (place.sub || (filter && op !== 'remove')) throw readOnly(place.sub?.name ?? 'members');
    if (op === 'add') for (const id of readMembers(value)) put(id);
    if (op === 'remove' && !filter && value !== undefined && value !== null) for (const id of readMembers(value)) take(id);
    else if (op !== 'add') {
      const only = filter && idIn(filter);
      const wanted = op === 'replace' ? readMembers(value) : new Set<string>();
      const before = only === undefined ? [...(await current()), ...add] : [only];
      for (const id of before) if (!wanted.has(id) && isMeant(filter, id)) take(id);
      for (const id of wanted) put(id);
    }
  }
  return { add, remove };
}

/** `value eq "…"`, as clients write it: the others need not be read. */
function idIn(filter: Filter): string | undefined {
  return filter.op === 'compare' && filter.operator === 'eq' && filter.path.toLowerCase() === 'value' && typeof filter.value === 'string'
    ? filter.value
    : undefined;
}

function isMeant(filter: Filter | undefined, id: string): boolean {
  return filter === undefined || matches(filter, MEMBERS?.subAttributes ?? [], { value: id, type: 'User' });
}

/**
 * Resolves with the ids of those whom it concerns. @throws BadRequest scim_value_invalid for a user that
 * there is not
 */
export async function storeMembers(
  tx: Knex.Transaction,
  of: { group_id: string; organization_id: string },
  { add, remove }: { add: ReadonlySet<string>; remove: ReadonlySet<string> },
): Promise<string[]> {
  const gone =
    remove.size === 0
      ? []
      : await tx('scim_group_members')
          .where({ group_id: of.group_id })
          .whereRaw('user_id = any(?)', [[...remove]])
          .del()
          .returning('user_id');
  if (add.size === 0) return gone.map(({ user_id }) => user_id);
  const known = await tx('scim_users')
    .where({ organization_id: of.organization_id })
    .whereRaw('scim_id = any(?)', [[...add]])
    .select('scim_id');
  if (known.length < add.size) {
    const unknown = [...add].find((id) => !known.some(({ scim_id }) => scim_id === id)) ?? '';
    throw valueInvalid(`There is no user ${unknown.slice(0, 100)}: provision the user first`);
  }
  const { rows } = await tx.raw<{ rows: { user_id: string }[] }>(
    'insert into scim_group_members (group_id, user_id) select ?, id from unnest(?::text[]) as id on conflict do nothing returning user_id',
    [of.group_id, [...add]],
  );
  return [...gone, ...rows].map(({ user_id }) => user_id);
}
