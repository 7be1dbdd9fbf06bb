import type { ServiceAccess } from '#contract/identity/service-access.ts';
import { provisionerStatus } from '../../agents/database/status.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { type Probed, probeSources, probeStorage } from './probe.ts';

type Service = ServiceAccess['service'];

export async function getServiceAccess(ctx: Ctx): Promise<{ items: ServiceAccess[] }> {
  const { user_id } = requireUser(ctx, 'service_access.read');
  const { scm, storage } = ctx.drivers;
  const [models, database, sources, files] = await Promise.all([
    modelRouting(ctx, user_id),
    databases(ctx),
    probeSources(scm, ctx.clock),
    probeStorage(storage, ctx.clock),
  ]);
  return {
    items: [
      models,
      tried('source_hosting', '/v1/agents/mine', sources),
      database,
      ctx.drivers.mail
        ? of('mailbox', { status: 'unchecked', reason: 'Mailboxes are of single agents: see one with "svc mailbox get"' })
        : notHere('mailbox', 'This installation runs no mailboxes for agents'),
      tried('object_storage', '/v1/me/files', files),
      notHere('tracing', 'This installation keeps no traces: jobs and their events show what happened'),
    ],
  };
}

/** As a provisioner last reached its server. */
async function databases(ctx: Ctx): Promise<ServiceAccess> {
  const { served, healthy, heartbeat_at: checked_at } = await provisionerStatus(ctx);
  if (!served) return notHere('database', 'This installation runs no databases for accounts: connect one of your own by a consumer setup field');
  const link = '/v1/me/databases';
  if (healthy) return of('database', { status: 'works', link, checked_at });
  return of('database', {
    status: 'failing',
    reason: 'The server for databases was not reached within the last minute: try again, and ask the operators if it stays so',
    link,
    checked_at,
  });
}

function of(service: Service, facts: Partial<ServiceAccess> & Pick<ServiceAccess, 'status'>): ServiceAccess {
  return { service, reason: null, link: null, credential: null, last_error: null, checked_at: null, ...facts };
}

function notHere(service: Service, reason: string): ServiceAccess {
  return of(service, { status: 'not_available', reason });
}

/** What exactly is wrong with a part of the platform is for its operators. */
function tried(service: Service, link: string, { works, at }: Probed): ServiceAccess {
  const checked_at = new Date(at).toISOString();
  if (works) return of(service, { status: 'works', link, checked_at });
  const message = 'It did not answer, or refused to keep data';
  const reason = `${message}: try again in a minute, and ask the operators if it stays so`;
  return of(service, { status: 'failing', reason, link, checked_at, last_error: { code: 'unavailable', message, at: checked_at } });
}

/** The newest of the default credential's last check and last use decides. */
async function modelRouting({ db }: Ctx, user_id: string): Promise<ServiceAccess> {
  const link = '/v1/me/llm-creds';
  const row = await db('llm_credentials')
    .where({ user_id })
    .orderBy([{ column: 'is_default', order: 'desc' }, { column: 'name' }])
    .first();
  if (!row) return of('model_routing', { status: 'not_configured', reason: 'The account has no model credential: add one with "svc models set"', link });
  const use = await db('llm_usage')
    .where({ user_id, credential_id: row.credential_id })
    .whereIn('state', ['ok', 'failed'])
    .orderBy([
      { column: 'started_at', order: 'desc' },
      { column: 'usage_id', order: 'desc' },
    ])
    .first('state', 'error_code', 'ended_at');
  const check = row.checked_at && { at: row.checked_at, code: row.check_state === 'works' ? null : row.check_state, message: row.check_message };
  const used = use?.ended_at && { at: use.ended_at, code: use.state === 'ok' ? null : (use.error_code ?? 'failed'), message: null };
  const last = check && used ? (used.at > check.at ? used : check) : (used ?? check);
  if (!last)
    return of('model_routing', {
      status: 'unchecked',
      reason: `The credential was not used yet: check it with "svc models set ${row.name}"`,
      link,
      credential: row.name,
    });
  const at = last.at.toISOString();
  if (last.code === null) return of('model_routing', { status: 'works', link, credential: row.name, checked_at: at });
  const last_error = { code: last.code, message: last.message, at };
  const reason = `The last call of the model with "${row.name}" failed (${last.code}): check it with "svc models set ${row.name}"`;
  return of('model_routing', { status: 'failing', reason, link, credential: row.name, last_error, checked_at: at });
}
