// The sign-in page, and for clients that are not the platform's own the consent page.
import formBody from 'co-body';
import { errors, type InteractionResults, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import type { Account, Accounts } from './accounts.ts';
import { askConsent, isOwnClient, type AgentOf } from './consent.ts';
import { clientLabel } from './consent-page.ts';
import type { GuessLimits } from './guess-limits.ts';
import { pageHeaders, signInPage } from './pages.ts';
import { maySignUp, signUp, type SignUp } from './sign-up.ts';
import { signUpPage } from './sign-up-page.ts';

const MAX_FORM_BYTES = '8kb';

export interface InteractionDeps {
  provider: Provider;
  accounts: Accounts;
  agentOf: AgentOf;
  limits: GuessLimits;
  signUp: SignUp;
  /** With an address: an account of it could do something here. */
  serves: (email?: string) => Promise<boolean>;
  /** How many accounts may be made. */
  newAccounts: GuessLimits;
  /** Origin of the issuer: the only one whose forms are taken. */
  origin: string;
  /** Origins of agents, where a sign-in for an agent's page ends after several redirects. */
  agents: readonly string[];
}

/** Middleware for GET and POST /interaction/{uid}. */
export function interactions(deps: InteractionDeps) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (!/^\/interaction\/[\w-]+$/.test(ctx.path)) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'POST') {
      ctx.status = 405;
      return;
    }
    const interaction = await deps.provider.interactionDetails(ctx.req, ctx.res);
    // The link may be to another person's sign-in: the cookie proves that this browser started it.
    if (ctx.path !== `/interaction/${interaction.uid}`) throw new errors.SessionNotFound('this sign-in was begun elsewhere');
    const client = await deps.provider.Client.find(String(interaction.params.client_id));
    if (!client) throw new errors.InvalidClient('there is no such client any more');
    const own = isOwnClient(client.clientId);
    const targets = [...originOf(interaction.params.redirect_uri), ...deps.agents];
    if (interaction.prompt.name !== 'login' && interaction.prompt.name !== 'create') {
      if (own) return finish(deps, ctx, { consent: {} });
      if (ctx.method === 'POST' && !sameOrigin(ctx, deps.origin)) throw new errors.AccessDenied('this form was sent from another site');
      const show = (html: string) => {
        ctx.set(pageHeaders(targets));
        ctx.body = html;
      };
      const person = (await deps.accounts.byId(interaction.session?.accountId ?? ''))?.email ?? '';
      const consentResult = await askConsent(deps, ctx, { interaction, client, person, show });
      return consentResult && finish(deps, ctx, consentResult);
    }
    const app = own ? (client.clientName ?? 'svc') : clientLabel(client);
    const action = `${deps.origin}${new URL(deps.provider.issuer).pathname}${ctx.path}`;
    const open = maySignUp(deps.signUp, ctx.ip) && (await deps.serves());
    const show = (email: string, problem?: string) => {
      ctx.set(pageHeaders(targets));
      ctx.body = signInPage({ action, app, email, problem, signUp: open });
    };
    const showNew = (view: { email: string; name: string; problem?: string }) => {
      ctx.set(pageHeaders(targets));
      ctx.body = signUpPage({ action, app, ...view });
    };
    const email = hint(interaction.params.login_hint);
    const wantsNew = typeof ctx.query['new'] === 'string' ? ctx.query['new'] === '1' : interaction.prompt.name === 'create';
    if (ctx.method === 'GET') return open && wantsNew ? showNew({ email, name: '' }) : show(email);

    if (!sameOrigin(ctx, deps.origin)) throw new errors.AccessDenied('this form was sent from another site');
    const form = await readForm(ctx);
    if (form.isNew) {
      // Whatever page sent it.
      if (!open) throw new errors.AccessDenied('accounts are not made here');
      if (!(await deps.serves(form.email))) {
        ctx.status = 403;
        return showNew({
          ...form,
          problem: 'Only who is invited makes an account here. Use the address that the invitation was sent to, or ask the operator.',
        });
      }
      const made = await signUp(deps, ctx.ip, form);
      if ('account' in made) return finish(deps, ctx, signedIn(made.account));
      ctx.status = made.status;
      if (made.wait !== undefined) ctx.set('retry-after', String(made.wait));
      return showNew({ ...form, problem: made.problem });
    }
    return await checkPassword(deps, ctx, form, show);
  };
}

async function checkPassword(deps: InteractionDeps, ctx: KoaContextWithOIDC, { email, password }: Form, show: (email: string, problem: string) => void) {
  const wait = await deps.limits.begin(ctx.ip, email);
  if (wait !== undefined) {
    ctx.status = 429;
    ctx.set('retry-after', String(wait));
    return show(email, `Too many tries. Wait ${Math.ceil(wait / 60)} minutes, then try again.`);
  }
  const account = await deps.accounts.verify(email, password);
  if (!account) {
    ctx.status = 401;
    return show(email, 'Email or password is wrong.');
  }
  await deps.limits.succeeded(ctx.ip, email);
  return finish(deps, ctx, signedIn(account));
}

/** An attempt that began with the wish for an account ends with a sign-in as well. */
function signedIn({ accountId }: Account): InteractionResults {
  return { create: {}, login: { accountId, remember: true } };
}

async function finish(deps: InteractionDeps, ctx: KoaContextWithOIDC, result: InteractionResults): Promise<void> {
  const returnTo = await deps.provider.interactionResult(ctx.req, ctx.res, result);
  ctx.status = 303;
  ctx.redirect(returnTo);
}

interface Form {
  email: string;
  password: string;
  name: string;
  isNew: boolean;
}

async function readForm(ctx: KoaContextWithOIDC): Promise<Form> {
  const form: unknown = await formBody.form(ctx.req, { limit: MAX_FORM_BYTES });
  const field = (name: string) => (typeof form === 'object' && form !== null && name in form ? String(Reflect.get(form, name)) : '');
  const name = field('name').replaceAll(/[\p{C}\p{Z}]+/gu, ' ');
  return { email: field('email').slice(0, 254), password: field('password').slice(0, 1024), name: name.slice(0, 100), isNew: field('new') === '1' };
}

function sameOrigin(ctx: KoaContextWithOIDC, origin: string): boolean {
  const site = ctx.get('sec-fetch-site');
  if (site !== '') return site === 'same-origin';
  const from = ctx.get('origin');
  return from === '' || from === origin;
}

/** As a policy names it; empty: none. */
export function originOf(redirectUri: unknown): string[] {
  const url = URL.parse(String(redirectUri));
  if (!url) return [];
  // A program's own scheme has no origin.
  if (!/^https?:$/.test(url.protocol)) return [url.protocol];
  // It goes into a header, where a host with ";" in it would end the list.
  return /^[\w.:[\]-]+$/.test(url.host) ? [url.origin] : [];
}

function hint(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 254) : '';
}
