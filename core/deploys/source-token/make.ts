// Making a source token: for the owner's git, for the owner's editor, for a service of the platform.
import type { z } from 'zod';
import { SOURCE_TOKEN_SECONDS, type SourceTokenOut } from '#contract/deploys/source-editor.ts';
import type { ScmTokenIn, ScmTokenOut } from '#contract/platform/scm.ts';
import type { SOURCE_TOKEN_HOLDERS, SOURCE_TOKEN_MODES } from '#contract/states.ts';
import { act, recorded } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import { type Ctx, personOf, type TxCtx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { may, requireUser } from '../../kernel/policy.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { agentFor, noSuchAgent } from '../../agents/agent/find.ts';
import { cloneUrl } from '../../agents/agent/repository.ts';
import { fingerprint, newSourceToken } from './secret.ts';

/** Open ones of one agent and holder: the oldest ends when there would be more. */
const MAX_OPEN = 50;

export interface NewSourceToken {
  agent: { agent_id: string; owner_id: string };
  mode: (typeof SOURCE_TOKEN_MODES)[number];
  holder: (typeof SOURCE_TOKEN_HOLDERS)[number];
}

/** In the caller's transaction; the caller has asked whether the actor may. */
export async function makeSourceToken(ctx: TxCtx, { agent, mode, holder }: NewSourceToken) {
  const { agent_id, owner_id } = agent;
  const now = ctx.clock();
  const [token, expires_at] = [newSourceToken(), new Date(now + SOURCE_TOKEN_SECONDS * 1000)];
  const token_name = newId('sct', now);
  // Of tokens that are made at the same time all are counted.
  await ctx.db.raw('select pg_advisory_xact_lock(hashtext(?))', [`svc.source_tokens:${agent_id}`]);
  const open = await ctx
    .db('source_tokens')
    .where({ agent_id, holder })
    .whereNull('revoked_at')
    .where('expires_at', '>', new Date(now))
    .orderBy(['created_at', 'token_name'])
    .pluck('token_name');
  await ctx
    .db('source_tokens')
    .whereIn('token_name', open.slice(0, Math.max(0, open.length - MAX_OPEN + 1)))
    .update({ revoked_at: new Date(now) });
  const { actor } = ctx;
  const opener = actor.kind === 'user' ? { person_id: personOf(actor), opened_by: actor.sign_in ?? null } : {};
  const row = { token_name, token_hash: hashSecret(token), agent_id, owner_id, mode, holder, created_at: new Date(now), expires_at };
  await ctx.db('source_tokens').insert({ ...row, ...opener });
  await audit(ctx, 'source_token.create', { source_token: token_name }, { agent_id, owner_id, mode, holder, fingerprint: fingerprint(token) });
  return { token_name, token, mode, expires_at: expires_at.toISOString() };
}

/** For the owner's git. */
export async function createGitToken(ctx: Ctx, i: { name: string; mode: 'read' | 'write' }): Promise<z.infer<typeof SourceTokenOut>> {
  return act(
    ctx,
    'source_token.create',
    (ctx, action) => agentFor(ctx.db, requireUser(ctx, action), action, i.name),
    async (ctx, agent) => {
      const { token, expires_at, mode } = await makeSourceToken(ctx, { agent, mode: i.mode, holder: 'git' });
      return recorded({ token, expires_at, mode, clone_url: cloneUrl(ctx.config, agent.name) });
    },
  );
}

/** For a service of the platform. @throws NotFound agent_not_found: the owner has no such agent */
export async function createScmToken(ctx: Ctx, i: z.output<typeof ScmTokenIn>): Promise<z.infer<typeof ScmTokenOut>> {
  const agentOfOwner = async (ctx: TxCtx, action: 'source_token.create') => {
    const agent = await ctx.db('agents').where({ owner_id: i.owner, name: i.repository }).whereNull('deleted_at').first('agent_id', 'owner_id', 'name');
    if (!agent || !may(ctx.actor, action, { owner: agent.owner_id, agent: agent.agent_id })) throw noSuchAgent(i.repository);
    return agent;
  };
  return act(ctx, 'source_token.create', agentOfOwner, async (ctx, agent) => {
    const made = await makeSourceToken(ctx, { agent, mode: i.mode, holder: 'service' });
    return recorded({ ...made, owner: agent.owner_id, repository: agent.name, clone_url: cloneUrl(ctx.config, agent.name) });
  });
}
