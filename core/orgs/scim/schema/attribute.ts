// What a SCIM attribute is (RFC 7643 §7). What is left out has the RFC's default.

export interface Attribute {
  name: string;
  /** `custom`: of an extension of the client's own, never described. */
  type: 'string' | 'boolean' | 'complex' | 'dateTime' | 'reference' | 'custom';
  description: string;
  multiValued?: true;
  required?: true;
  /** Text is compared and kept unique with its case. */
  caseExact?: true;
  /** Default readWrite. `ignored`: accepted from clients that always send it, never kept, never described. */
  mutability?: 'readOnly' | 'immutable' | 'ignored';
  returned?: 'always';
  uniqueness?: 'server';
  canonicalValues?: readonly string[];
  referenceTypes?: readonly string[];
  subAttributes?: readonly Attribute[];
}

/** What clients send and are sent, with canonical names. The members of an extension are under its URN. */
export type Document = Record<string, unknown>;

export interface ScimSchema {
  id: string;
  name: string;
  description: string;
  attributes: readonly Attribute[];
}

export interface ResourceKind {
  name: 'User' | 'Group';
  endpoint: '/Users' | '/Groups';
  schema: ScimSchema;
  extension?: ScimSchema;
  /** Extensions of the client's own are kept, whatever is in them. */
  keepsCustom?: true;
}

/** In every resource, and in no schema (RFC 7643 §3.1). */
export const COMMON: readonly Attribute[] = [
  { name: 'schemas', type: 'string', description: 'URNs of the schemas of the resource.', multiValued: true, mutability: 'ignored', returned: 'always' },
  { name: 'id', type: 'string', description: 'Identifier of the resource.', caseExact: true, mutability: 'readOnly', returned: 'always' },
  { name: 'externalId', type: 'string', description: 'Identifier of the resource at the client.', caseExact: true },
  {
    name: 'meta',
    type: 'complex',
    description: 'Facts of the resource.',
    mutability: 'readOnly',
    subAttributes: [
      { name: 'resourceType', type: 'string', description: 'User or Group.', caseExact: true, mutability: 'readOnly' },
      { name: 'created', type: 'dateTime', description: 'When it was made.', mutability: 'readOnly' },
      { name: 'lastModified', type: 'dateTime', description: 'When it last changed.', mutability: 'readOnly' },
      { name: 'location', type: 'reference', description: 'Its address.', mutability: 'readOnly' },
      { name: 'version', type: 'string', description: 'Its entity tag.', caseExact: true, mutability: 'readOnly' },
    ],
  },
];

/** Text that is compared without its case is kept and looked up by this form. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
