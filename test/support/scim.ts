// An organization with a SCIM token, and what its identity provider sends.
import type { Knex } from 'knex';
import { newScimToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret } from '#core/kernel/secret.ts';

export interface TestOrganization {
  organization_id: string;
  slug: string;
  /** SCIM token. */
  token: string;
}

/**
 * `owner`: id of an account, else one is made; its address is `owner@acme.example`. null: it has none, and so
 * its token opens nothing.
 */
export async function addOrganization(db: Knex, slug: string, owner?: string | null): Promise<TestOrganization> {
  const organization_id = newId('org');
  const at = new Date();
  const account = { user_id: organization_id, issuer: 'organization', subject: slug, email: '', name: slug, kind: 'organization' as const };
  await db('users').insert({ ...account, created_at: at, last_seen_at: at });
  await db('organizations').insert({ organization_id, slug, name: slug, created_by: owner ?? null, created_at: at });
  if (owner !== null)
    await db('organization_members').insert({
      member_id: newId('mem'),
      organization_id,
      user_id: owner ?? (await addPerson(db, `owner@${slug}.example`)),
      email: `owner@${slug}.example`,
      role: 'owner',
      state: 'active',
      source: 'person',
      created_at: at,
      joined_at: at,
      updated_at: at,
    });
  return { organization_id, slug, token: await addScimToken(db, organization_id) };
}

async function addPerson(db: Knex, email: string): Promise<string> {
  const user_id = newId('usr');
  const at = new Date();
  await db('users').insert({ user_id, issuer: 'test', subject: user_id, email, name: 'Owner', kind: 'person', created_at: at, last_seen_at: at });
  return user_id;
}

/** Issued by an owner. */
export async function addScimToken(db: Knex, organization_id: string): Promise<string> {
  const token = newScimToken();
  const owner = await db('organization_members').where({ organization_id, role: 'owner' }).first('user_id');
  const row = { token_id: newId('scm'), organization_id, name: 'test', token_sha256: hashSecret(token), created_at: new Date() };
  await db('scim_tokens').insert({ ...row, created_by: owner?.user_id ?? null });
  return token;
}

/** Of the organization whose provisioning is among the records of the generic suites. */
export async function scimTokenOf(db: Knex, records: Record<string, string>): Promise<string> {
  const organization = await db('organizations')
    .where({ slug: records['scim.users.slug'] ?? '' })
    .first('organization_id');
  if (!organization) throw new Error('the records have no organization that provisions: test/api/records/scim.ts');
  return addScimToken(db, organization.organization_id);
}

export interface ScimAnswer {
  status: number;
  headers: Headers;
  /** Of what has no body: null. */
  body: unknown;
}

/** Sends as identity providers do. `path`: after `/v1/scim/<slug>/v2`. */
export async function scimCall(
  url: string,
  of: { slug: string; token: string; authorization?: string | null },
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ScimAnswer> {
  const response = await fetch(`${url}/v1/scim/${of.slug}/v2${path}`, {
    method,
    headers: { ...authorized(of), ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

function authorized({ token, authorization = `Bearer ${token}` }: { token: string; authorization?: string | null }): Record<string, string> {
  return authorization === null ? {} : { authorization };
}
