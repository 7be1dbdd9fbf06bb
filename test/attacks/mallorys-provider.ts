// Mallory's organization, of which Ada is a member, with an identity provider that he runs, and what he and
// she do in browsers.
import { expect } from 'vitest';
import { createClient } from '#contract/client.ts';
import { SESSION_COOKIE } from '#core/identity/cookies.ts';
import { createSession } from '#core/identity/session/create.ts';
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { createWorld, type World } from '../api/world.ts';
import { CLIENT, type Forger, forger } from '../support/identity-providers.ts';
import { type Answer, SsoBrowser } from '../support/sso.ts';

export const MALLORYS = 'mallory-co';
/** Which Ada owns. */
export const ADAS = 'adas-own';
/** Of Ada, as Mallory's organization knows her. */
const ADDRESS = 'ada@mallory.example';
/** What such a session acts for. */
export const ONLY_HIS = { slug: MALLORYS, name: 'Mallory & Co' };
export const LIMITED = { status: 403, code: 'sso_limited' };

export const actingFor = (slug: string) => ({ headers: { 'svc-organization': slug } });
export const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

export class Mallory {
  readonly world: World;
  readonly evil: Forger;
  readonly ada: { user_id: string; email: string };
  readonly organizationId: string;
  /** Of Ada in his organization. */
  memberId = '';

  constructor(world: World, evil: Forger, ada: { user_id: string; email: string }, organizationId: string) {
    [this.world, this.evil, this.ada, this.organizationId] = [world, evil, ada, organizationId];
  }

  get db() {
    return this.world.ctx.db;
  }
  get sso() {
    return createClient({ baseUrl: this.world.url, token: this.world.tokens.ben }).organizationSso;
  }
  browser(): SsoBrowser {
    return new SsoBrowser(this.world.url);
  }
  connect(more: object = {}) {
    return this.sso.put({ params: { slug: MALLORYS }, body: { issuer: this.evil.issuer, ...CLIENT, domains: ['mallory.example'], ...more } });
  }

  /**
   * Ada is an admin there, so that no role refuses what the limit has to. His provider has signed nobody in.
   */
  async begin(): Promise<void> {
    const { db, organizationId: organization_id } = this;
    this.evil.person = { sub: 'ada', email: ADDRESS, email_verified: true };
    await db('sso_identities').where({ organization_id }).delete();
    await db('organization_members').where({ organization_id }).whereRaw('user_id is distinct from (select created_by from organizations o where o.organization_id = organization_members.organization_id)').delete(); // prettier-ignore
    this.memberId = newId('mem');
    const [now, facts] = [new Date(), { member_id: this.memberId, organization_id, user_id: this.ada.user_id, email: ADDRESS }];
    const joined = { role: 'admin' as const, state: 'active' as const, source: 'person' as const, created_at: now, joined_at: now, updated_at: now };
    await db('organization_members').insert({ ...facts, ...joined });
    await this.connect();
  }

  /** His browser, signed in as Ada by the word of his provider. */
  async asAda(): Promise<SsoBrowser> {
    const it = this.browser();
    expect(await it.signIn(MALLORYS)).toMatchObject({ status: 200, body: { user: { user_id: this.ada.user_id } } });
    return it;
  }

  /** Her own browser. `fresh`: she has just signed in there. */
  async hers({ fresh = true } = {}): Promise<SsoBrowser> {
    const of = { userId: this.ada.user_id, replaces: undefined, signedIn: fresh };
    const { token } = await inTx(this.world.ctx, (ctx) => createSession(ctx, of));
    const it = this.browser();
    it.plant(SESSION_COOKIE, token);
    return it;
  }

  async close(): Promise<void> {
    await this.world.close();
    await this.evil.close();
  }
}

export async function mallorysProvider(options: Parameters<typeof createWorld>[0] = {}): Promise<Mallory> {
  const evil = await forger();
  const world = await createWorld({ ...options, ssoLocalHosts: [evil.host] });
  const { user_id, email } = await world.as('ada').auth.me();
  await world.as('ada').organizations.create({ body: { slug: ADAS, name: 'Of Ada' } });
  const { organization_id } = await world.as('ben').organizations.create({ body: ONLY_HIS });
  const now = new Date();
  const domain = { domain_id: newId('dom'), organization_id, domain: 'mallory.example', nonce: 'n', state: 'verified' as const };
  await world.ctx.db('organization_domains').insert({ ...domain, verified_at: now, checked_at: now, created_at: now });
  return new Mallory(world, evil, { user_id, email }, organization_id);
}

export const me = (it: SsoBrowser, more: Parameters<SsoBrowser['send']>[2] = {}): Promise<Answer> => it.send('GET', '/v1/me', more);
