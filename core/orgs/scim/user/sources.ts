// Where filters and orders find the attributes of users.
import type { Attribute } from '../schema/attribute.ts';
import type { AttributePath } from '../schema/place.ts';
import { USERS } from '../schema/user.ts';
import type { ValueSource, Sources, Sql } from '../filter/sql.ts';
import { attributeKey } from './values.ts';

const COLUMNS: Record<string, string> = {
  id: 'r.scim_id',
  externalId: 'r.external_id',
  userName: 'r.user_name_folded',
  active: 'r.active',
  'meta.created': 'r.created_at',
  'meta.lastModified': 'r.updated_at',
};
const GROUP_PARTS: Record<string, string> = { value: 'g.scim_id', display: 'g.display_name_folded' };
const GROUPS = 'scim_group_members m join scim_groups g on g.scim_id = m.group_id';

/** `organizationId`: whose; also of the rows beside the users'. */
export function userSources(organizationId: string): Sources {
  const rows = (key: string): Sql => ({ sql: 'v.organization_id = ? and v.attribute = ?', bindings: [organizationId, key] });
  return {
    kind: USERS,
    rows: { from: 'scim_users r', where: { sql: 'r.organization_id = ?', bindings: [organizationId] } },
    of(place, part): ValueSource | undefined {
      const { extension, attribute } = place;
      const column = extension === undefined ? COLUMNS[part ? `${attribute.name}.${part.name}` : attribute.name] : undefined;
      if (column !== undefined) return column === COLUMNS['externalId'] ? { column, indexed: true } : { column };
      if (attribute.name === 'groups') return ofGroups(organizationId, part);
      if (attribute.mutability === 'readOnly' || (attribute.type === 'complex' && !part)) return undefined;
      return { from: 'scim_user_values v', where: rows(attributeKey(extension, attribute.name, part?.name)), id: 'v.scim_id', value: 'v.value', indexed: true };
    },
    elements({ extension, attribute }: AttributePath) {
      if (attribute.name === 'groups') {
        const where = { sql: 'g.organization_id = ?', bindings: [organizationId] };
        return {
          from: GROUPS,
          where,
          id: 'm.user_id',
          part: (part) => ({ sql: { sql: '({})', bindings: [] }, value: GROUP_PARTS[part.name] ?? 'null::text' }),
        };
      }
      if (attribute.mutability === 'readOnly') return undefined;
      return {
        from: 'scim_user_values b',
        where: { sql: 'b.organization_id = ? and b.attribute = ?', bindings: [organizationId, attributeKey(extension, attribute.name)] },
        id: 'b.scim_id',
        part(part: Attribute) {
          const { sql, bindings } = rows(attributeKey(extension, attribute.name, part.name));
          const beside = `exists (select 1 from scim_user_values v where ${sql} and v.scim_id = b.scim_id and v.element = b.element and {})`;
          return { sql: { sql: beside, bindings }, value: 'v.value', indexed: true };
        },
      };
    },
  };
}

function ofGroups(organizationId: string, part: Attribute | undefined): ValueSource | undefined {
  const column = part && GROUP_PARTS[part.name];
  return column === undefined
    ? undefined
    : { from: GROUPS, where: { sql: 'g.organization_id = ?', bindings: [organizationId] }, id: 'm.user_id', value: column };
}
