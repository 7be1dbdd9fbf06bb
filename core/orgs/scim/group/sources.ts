// Where filters and orders find the attributes of groups.
import { GROUPS } from '../schema/group.ts';
import type { ValueSource, Sources } from '../filter/sql.ts';

const COLUMNS: Record<string, string> = {
  id: 'r.scim_id',
  externalId: 'r.external_id',
  displayName: 'r.display_name_folded',
  'meta.created': 'r.created_at',
  'meta.lastModified': 'r.updated_at',
};
const MEMBERS = { from: 'scim_group_members m join scim_groups g on g.scim_id = m.group_id', id: 'm.group_id' };
const MEMBER_PARTS: Record<string, string> = { value: 'm.user_id', type: "'user'" };

export function groupSources(organizationId: string): Sources {
  const where = { sql: 'g.organization_id = ?', bindings: [organizationId] };
  return {
    kind: GROUPS,
    rows: { from: 'scim_groups r', where: { sql: 'r.organization_id = ?', bindings: [organizationId] } },
    of({ attribute }, part): ValueSource | undefined {
      const column = COLUMNS[part ? `${attribute.name}.${part.name}` : attribute.name];
      if (column !== undefined) return { column };
      const member = attribute.name === 'members' ? MEMBER_PARTS[part?.name ?? ''] : undefined;
      return member === undefined ? undefined : { ...MEMBERS, where, value: member };
    },
    elements({ attribute }) {
      if (attribute.name !== 'members') return undefined;
      return { ...MEMBERS, where, part: (part) => ({ sql: { sql: '({})', bindings: [] }, value: MEMBER_PARTS[part.name] ?? 'null::text' }) };
    },
  };
}
