// Push events of a hosting that is not in this process, as Forgejo and GitHub send them.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { DEFAULT_BRANCH } from '#contract/deploys/source.ts';
import { MAX_WEBHOOK_BYTES, type ScmWebhookOut } from '#contract/platform/scm-webhooks.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Actor, Ctx } from '../../kernel/ctx.ts';
import { BadRequest, DomainError, Forbidden, NotFound, PayloadTooLarge, Unavailable } from '../../kernel/errors.ts';
import { may } from '../../kernel/policy.ts';
import { deployCommit } from './deploy.ts';
import { ownerOf } from './find.ts';

/** Older events are refused: they may be recorded and replayed. */
const MAX_AGE_MS = 24 * 3_600_000;
const nothing = /^0+$/;
/** Who holds the secret. */
const HOSTING: Actor = { kind: 'platform', service: 'scm-webhook' };

const when = z.union([z.number(), z.string()]).optional();
const Push = z.looseObject({
  ref: z.string().max(300),
  after: z.string().regex(/^[0-9a-f]{40}$/),
  repository: z.looseObject({
    full_name: z
      .string()
      .regex(/^[^\0]*$/)
      .max(300),
    pushed_at: when,
    updated_at: when,
  }),
});
type Push = z.infer<typeof Push>;
type Outcome = z.infer<typeof ScmWebhookOut>;

export interface Webhook {
  hook: 'runtime-push' | 'source-push';
  headers: Record<string, string | undefined>;
  body: AsyncIterable<Uint8Array>;
}

/**
 * By whose secret the body is signed, or who sends a platform token beside: the hosting. @throws Forbidden
 * webhook_signature_invalid, NotFound repository_not_found; what an upload is refused for
 */
export async function takeWebhook(caller: Ctx, { hook, headers, body }: Webhook): Promise<Outcome> {
  const bytes = await signedBody(caller, headers, body);
  const ctx: Ctx = caller.actor.kind === 'platform' ? caller : { ...caller, actor: HOSTING };
  if ((headers['x-forgejo-event'] ?? headers['x-github-event']) !== 'push') return not('not_a_push');
  const delivery = headers['x-forgejo-delivery'] ?? headers['x-github-delivery'];
  if (delivery === undefined) throw new BadRequest('webhook_invalid', 'The event has no delivery id: send the header X-Forgejo-Delivery or X-GitHub-Delivery');
  const push = parsed(bytes);
  if (isOld(push, ctx.clock())) return not('too_old');
  const agent = await agentOf(ctx, push.repository.full_name);
  // The delivery id is not signed, the body is: either is enough to know it again.
  const ids = [`id:${hook}:${delivery}`, `body:${hook}:${createHash('sha256').update(bytes).digest('hex')}`];
  if (!(await claim(ctx, ids))) return not('replayed');
  try {
    if (push.ref !== `refs/heads/${DEFAULT_BRANCH}`) return not('other_branch');
    if (nothing.test(push.after)) return not('deleted');
    const newest = await ctx.db('deployments').where({ agent_id: agent.agent_id }).orderBy('number', 'desc').first('source_commit');
    if (newest?.source_commit === push.after) return not('already_deployed');
    const owner = await ownerOf(ctx.db, agent.owner_id);
    const { deploy_id } = await deployCommit({ ...ctx, actor: owner }, { name: agent.name, commit: push.after });
    await system(ctx, async (ctx) => audit(ctx, 'source.webhook', { agent: agent.agent_id }, { hook, delivery, commit: push.after, deploy_id }));
    return { accepted: true, reason: 'deploying', deploy_id };
  } catch (error) {
    // What may work the next time is not a replay then.
    if (!(error instanceof DomainError) || error.code === 'source_hosting_down') await ctx.db('scm_deliveries').whereIn('delivery_id', ids).delete();
    throw error;
  }
}

const not = (reason: Exclude<Outcome['reason'], 'deploying'>): Outcome => ({ accepted: false, reason, deploy_id: null });

async function signedBody({ config }: Ctx, headers: Webhook['headers'], body: Webhook['body']): Promise<Buffer> {
  const { scmWebhookSecret } = config;
  if (scmWebhookSecret === undefined)
    throw new Unavailable('webhooks_off', 'This installation has no secret for webhooks: an operator sets SVC_SCM_WEBHOOK_SECRET');
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > MAX_WEBHOOK_BYTES) throw new PayloadTooLarge('body_too_large', `An event may have at most ${MAX_WEBHOOK_BYTES} bytes`);
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  const expected = createHmac('sha256', scmWebhookSecret).update(bytes).digest();
  const given = headers['x-forgejo-signature'] ?? headers['x-hub-signature-256']?.replace(/^sha256=/, '') ?? '';
  if (!/^[0-9a-f]{64}$/i.test(given) || !timingSafeEqual(Buffer.from(given, 'hex'), expected))
    throw new Forbidden('webhook_signature_invalid', 'The signature is not that of this body: set the same secret at both ends');
  return bytes;
}

function parsed(bytes: Buffer): Push {
  try {
    const push = Push.safeParse(JSON.parse(bytes.toString('utf8')));
    if (push.success) return push.data;
  } catch {
    // as below
  }
  throw new BadRequest('webhook_invalid', 'This is no push event of Forgejo or GitHub: send JSON with ref, after and repository.full_name');
}

/** By the time of the push where the event has it: seconds since the epoch, or RFC 3339. */
function isOld({ repository: { pushed_at, updated_at } }: Push, now: number): boolean {
  const at = pushed_at ?? updated_at;
  const ms = typeof at === 'number' ? at * 1000 : Date.parse(at ?? '');
  return !Number.isNaN(ms) && now - ms > MAX_AGE_MS;
}

async function agentOf({ db, actor }: Ctx, fullName: string): Promise<{ agent_id: string; owner_id: string; name: string }> {
  const [owner_id = '', name = '', more] = fullName.split('/');
  const agent = more === undefined ? await db('agents').where({ owner_id, name }).whereNull('deleted_at').first('agent_id', 'owner_id', 'name') : undefined;
  if (!agent || !may(actor, 'source.webhook', { owner: agent.owner_id, agent: agent.agent_id }))
    throw new NotFound('repository_not_found', `No agent has the repository ${JSON.stringify(fullName.slice(0, 100))}`);
  return agent;
}

/** False: it was taken before. */
async function claim({ db }: Ctx, ids: readonly string[]): Promise<boolean> {
  const rows = await db('scm_deliveries')
    .insert(ids.map((delivery_id) => ({ delivery_id })))
    .onConflict('delivery_id')
    .ignore()
    .returning('delivery_id');
  return rows.length === ids.length;
}
