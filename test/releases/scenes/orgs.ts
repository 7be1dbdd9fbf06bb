// An organization: members, domains, its own sign-in, provisioning, approvals, compliance.
import { HEADER } from '#contract/wire/headers.ts';
import { parseMail } from '#drivers/mail/parse.ts';
import { CONSENT_PATH, consentAddress } from '#api/routes/identity/consent-page.ts';
import { SESSION_COOKIE } from '#core/identity/cookies.ts';
import { type Client, createClient } from '#contract/client.ts';
import type { Contract } from '#contract/index.ts';
import { CLIENT } from '../../support/identity-providers.ts';
import { scimCall } from '../../support/scim.ts';
import { SsoBrowser } from '../../support/sso.ts';
import { ORGANIZATION, type Person } from '../installation.ts';
import { eventually, type Play, when } from '../play.ts';
import { secret } from './agents.ts';

const params = { slug: ORGANIZATION };
const DOMAIN = 'harbours.example';

export async function organization(play: Play): Promise<void> {
  const { api } = play.people.ada;
  await api.organizations.create({ body: { slug: ORGANIZATION, name: 'Harbours' } });
  await api.organizations.invite({ params, body: { email: `eve@friend.example`, role: 'developer' } });
  await ofBen(play);
  await provedDomain(play);
  await ownSignIn(play);
  await provisioned(play);
  await approvals(play);
  await compliance(play);
}

/** Its provider brings a member in; an owner suspends the demand for it. */
async function ownSignIn(play: Play): Promise<void> {
  const { api } = play.people.ada;
  await api.organizationSso.put({
    params,
    body: {
      issuer: play.provider.issuer,
      client_id: CLIENT.client_id,
      client_secret: secret(play, 'sso_client', CLIENT.client_secret),
      domains: [DOMAIN],
      makes_members: true,
    },
  });
  play.provider.person = { sub: 'mia', email: `mia@${DOMAIN}`, email_verified: true };
  const browser = new SsoBrowser(play.i.baseUrl);
  const signedIn = await browser.signIn(ORGANIZATION);
  if (signedIn.status >= 400) throw new Error(JSON.stringify(signedIn));
  await consented(play, await sessionOfAda(play));
  await api.organizationSso.breakGlass({ params }).catch((error: unknown) => play.say(`break glass: ${String(error)}`));
}

/**
 * Of a browser that the tool signs in: one of the organization's provider says nothing for its person to
 * agents of others.
 */
async function sessionOfAda({ i, people: { ada } }: Play): Promise<string> {
  const browser = new SsoBrowser(i.baseUrl);
  const { pathname, search } = new URL((await ada.api.auth.createCliSession({ body: {} })).redeem_url);
  await browser.send('GET', pathname + search);
  await browser.send('POST', '/v1/auth/cli-session/confirm');
  return browser.session ?? '';
}

/** The person lets an agent know who they are, on the page that asks. */
async function consented({ i }: Play, session: string): Promise<void> {
  const headers = { cookie: `${SESSION_COOKIE}=${session}`, 'sec-fetch-site': 'same-origin' };
  const page = await (await fetch(`${i.baseUrl}${consentAddress('harbour', '/')}`, { headers })).text();
  const field = (name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
  const body = new URLSearchParams({ agent: 'harbour', next: '/', token: field('token') });
  const answer = await fetch(`${i.baseUrl}${CONSENT_PATH}`, { method: 'POST', headers: { ...headers, origin: i.baseUrl }, body, redirect: 'manual' });
  if (answer.status !== 303) throw new Error(`the consent was answered ${answer.status}: ${await answer.text()}`);
}

/** Invited by mail, and takes it. */
async function ofBen({ people: { ada, ben }, outside }: Play): Promise<void> {
  await ada.api.organizations.invite({ params, body: { email: 'ben@svc.local', role: 'auditor' } });
  const token = await eventually('an invitation', async () => {
    const mails = await Promise.all(outside.relay.mails.filter(({ to }) => to.includes('ben@svc.local')).map(({ raw }) => parseMail(raw)));
    return mails.flatMap((mail) => /\/invitation#([\w.-]+)/.exec(mail?.text ?? '')?.[1] ?? []).at(-1);
  });
  await ben.api.organizations.acceptInvitation({ body: { token } });
}

async function provedDomain({ people: { ada }, outside }: Play): Promise<void> {
  const domain = await ada.api.organizations.addDomain({ params, body: { domain: DOMAIN } });
  const record = /"value":"([^"]+)"/.exec(JSON.stringify(domain))?.[1] ?? '';
  const name = /"name":"([^"]+)"/.exec(JSON.stringify(domain))?.[1] ?? `_svc-challenge.${DOMAIN}`;
  outside.dns.set('TXT', name, record);
  await ada.api.organizations.verifyDomain({ params: { ...params, domain: DOMAIN } });
}

async function provisioned({ people: { ada }, i }: Play): Promise<void> {
  const { token } = await ada.api.organizations.createScimToken({ params, body: { name: 'Directory' } });
  const to = { slug: ORGANIZATION, token };
  const user = await scimCall(i.baseUrl, to, 'POST', '/Users', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: `kim@${DOMAIN}`,
    emails: [{ value: `kim@${DOMAIN}`, primary: true }],
  });
  const id = String(Object(user.body).id);
  await scimCall(i.baseUrl, to, 'POST', '/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'Pilots',
    members: [{ value: id }],
  });
  await ada.api.organizationScim.putRoles({ params, body: { roles: [{ group: 'Pilots', role: 'operator' }] } });
}

/** A request of a run for the organization takes two: one has decided. */
async function approvals(play: Play): Promise<void> {
  const { ada, ben } = play.people;
  const approvers = { people: [ada.userId, ben.userId], need: 2 };
  await ada.api.organizationApprovals.setPolicy({
    params,
    body: { rules: [{ name: 'files', when: { subjects: ['scope_request'] }, approvers, starter_may_count: true, deadline_seconds: 86_400 }] },
  });
  await ada.api.organizationApprovals.delegate({ params, body: { to: ben.userId, ends_at: new Date(Date.now() + 7 * 86_400_000).toISOString() } });
  const { run_id } = await actingFor(play, ada).agents.startRun({ params: { name: 'harbour', skill_name: 'scope' }, body: {} });
  const { inbox } = createClient({ baseUrl: play.i.baseUrl, token: ben.token, fetch: acting });
  const wait = await eventually('a request', async () => (await inbox.waits({ query: {} })).items.find((one) => one.run_id === run_id));
  await actingFor(play, ben).chat.decideScope({ params: { approval_id: wait.wait_id }, body: { decision: 'approve', reason: 'It is ours' } });
}

/** The person, for the organization. */
function actingFor({ i }: Play, { token }: Person): Client<Contract> {
  return createClient({ baseUrl: i.baseUrl, token, fetch: acting });
}

const acting: typeof fetch = (url, init) =>
  fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), [HEADER.organization]: ORGANIZATION } });

async function compliance(play: Play): Promise<void> {
  const { ada } = play.people;
  const { version } = await ada.api.compliance.policy({ params });
  await ada.api.compliance.putPolicy({ params, body: { frameworks: ['eu_ai_act'], retention_days: 200, version: version ?? 0 } });
  await actingFor(play, ada).agents.import({ body: { url: play.outside.remote.url, name: 'beacon' } });
  await ada.api.compliance.putAgent({ params: { ...params, agent_name: 'beacon' }, body: { risk_tier: 'minimal', intended_purpose: 'Shines', version: 0 } });
  await ada.api.compliance.enforce({ params, body: { dry_run: false } });
  const { export_id } = await ada.api.compliance.export({ params, body: {} });
  await eventually('an export', async () => {
    const { state } = await ada.api.compliance.getExport({ params: { ...params, export_id } });
    return when(state, state !== 'queued' && state !== 'running');
  });
}
