// The Group resource. Its members are users of the same organization; groups have no groups in them.
import type { ResourceKind } from './attribute.ts';

export const GROUPS: ResourceKind = {
  name: 'Group',
  endpoint: '/Groups',
  schema: {
    id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
    name: 'Group',
    description: 'A group of people. The organization says which role its members have.',
    attributes: [
      { name: 'displayName', type: 'string', description: 'Name, unique in the organization.', required: true, uniqueness: 'server' },
      {
        name: 'members',
        type: 'complex',
        multiValued: true,
        description: 'Who is in it.',
        subAttributes: [
          { name: 'value', type: 'string', description: 'Identifier of the user.', caseExact: true, mutability: 'immutable' },
          { name: '$ref', type: 'reference', description: 'Its address.', referenceTypes: ['User'], caseExact: true, mutability: 'immutable' },
          { name: 'type', type: 'string', description: 'Always User.', canonicalValues: ['User'], mutability: 'immutable' },
        ],
      },
    ],
  },
};
