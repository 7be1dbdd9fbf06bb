// The User resource: what identity providers send of people. Only what is kept is described.
import type { Attribute, ResourceKind, ScimSchema } from './attribute.ts';

function text(name: string, description: string, more: Partial<Attribute> = {}): Attribute {
  return { name, type: 'string', description, ...more };
}

/** `value`, `type` and `primary` of a list such as addresses of mail. */
function labelled(types: readonly string[] | undefined, value: string): readonly Attribute[] {
  return [
    text('value', value),
    text('display', 'How it is shown.'),
    text('type', 'What it is used for.', types && { canonicalValues: types }),
    { name: 'primary', type: 'boolean', description: 'The preferred one; at most one is.' },
  ];
}

const USER: ScimSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A person whom the organization provisions.',
  attributes: [
    text('userName', 'Name at the identity provider, unique in the organization.', { required: true, uniqueness: 'server' }),
    {
      name: 'name',
      type: 'complex',
      description: 'Parts of the name.',
      subAttributes: [
        text('formatted', 'The whole name.'),
        text('familyName', 'Family name.'),
        text('givenName', 'Given name.'),
        text('middleName', 'Middle names.'),
        text('honorificPrefix', 'Title before the name.'),
        text('honorificSuffix', 'Title after the name.'),
      ],
    },
    text('displayName', 'How the person is shown.'),
    text('nickName', 'How the person is called.'),
    { name: 'profileUrl', type: 'reference', description: 'Page about the person.', referenceTypes: ['external'], caseExact: true },
    text('title', 'Title, such as Vice President.'),
    text('userType', 'Kind of employment.'),
    text('preferredLanguage', 'Language, such as en-US.'),
    text('locale', 'Where the person is, for formats.'),
    text('timezone', 'Time zone, such as Europe/Vienna.'),
    { name: 'active', type: 'boolean', description: 'False: suspended; the person has no rights in the organization.' },
    text('password', 'Not kept: people sign in at the identity provider.', { mutability: 'ignored' }),
    {
      name: 'emails',
      type: 'complex',
      multiValued: true,
      description: 'Addresses of mail. The primary one, else the one for work, else the first is whom the organization invites.',
      subAttributes: labelled(['work', 'home', 'other'], 'The address.'),
    },
    {
      name: 'phoneNumbers',
      type: 'complex',
      multiValued: true,
      description: 'Telephone numbers.',
      subAttributes: labelled(['work', 'home', 'mobile', 'fax', 'pager', 'other'], 'The number.'),
    },
    {
      name: 'addresses',
      type: 'complex',
      multiValued: true,
      description: 'Postal addresses.',
      subAttributes: [
        text('formatted', 'The whole address.'),
        text('streetAddress', 'Street and number.'),
        text('locality', 'City.'),
        text('region', 'State or region.'),
        text('postalCode', 'Postal code.'),
        text('country', 'Country.'),
        text('type', 'What it is used for.', { canonicalValues: ['work', 'home', 'other'] }),
        { name: 'primary', type: 'boolean', description: 'The preferred one; at most one is.' },
      ],
    },
    {
      name: 'roles',
      type: 'complex',
      multiValued: true,
      description: 'Roles at the identity provider. They are kept; the groups decide the role in the organization.',
      subAttributes: labelled(undefined, 'The role.'),
    },
    {
      name: 'entitlements',
      type: 'complex',
      multiValued: true,
      description: 'Entitlements at the identity provider. They are kept, and grant nothing here.',
      subAttributes: labelled(undefined, 'The entitlement.'),
    },
    {
      name: 'groups',
      type: 'complex',
      multiValued: true,
      mutability: 'readOnly',
      description: 'Groups of the person; changed at the groups.',
      subAttributes: [
        text('value', 'Identifier of the group.', { caseExact: true, mutability: 'readOnly' }),
        { name: '$ref', type: 'reference', description: 'Its address.', referenceTypes: ['Group'], caseExact: true, mutability: 'readOnly' },
        text('display', 'Its name.', { mutability: 'readOnly' }),
        text('type', 'Always direct.', { canonicalValues: ['direct'], mutability: 'readOnly' }),
      ],
    },
  ],
};

export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const ENTERPRISE_USER: ScimSchema = {
  id: ENTERPRISE,
  name: 'EnterpriseUser',
  description: 'What organizations note of their people.',
  attributes: [
    text('employeeNumber', 'Number of the person in the organization.'),
    text('costCenter', 'Cost center.'),
    text('organization', 'Name of the organization.'),
    text('division', 'Division.'),
    text('department', 'Department.'),
    {
      name: 'manager',
      type: 'complex',
      description: 'The manager of the person.',
      subAttributes: [text('value', 'Identifier of the manager, as the client gives it.', { caseExact: true })],
    },
  ],
};

export const USERS: ResourceKind = { name: 'User', endpoint: '/Users', schema: USER, extension: ENTERPRISE_USER, keepsCustom: true };
