// The code editor of an agent: a switch of its owner, and short-lived tokens for the browser.
import type { z } from 'zod';
import type { AgentMineOut } from '#contract/agents/agents.ts';
import { type AgentCodeEditorOut, DEFAULT_BRANCH } from '#contract/deploys/source.ts';
import { act, done, recorded, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, Unavailable } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { agentFor, agentNamed } from '../../agents/agent/find.ts';
import { presentMine } from '../../agents/agent/present.ts';
import { makeSourceToken } from '../source-token/make.ts';
import { endSourceTokens } from '../source-token/release.ts';
import { sourceRepository } from '../../agents/agent/repository.ts';
import { throughHosting } from './hosting.ts';

type Mine = z.infer<typeof AgentMineOut>;

export async function getCodeEditor(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof AgentCodeEditorOut>> {
  const user = requireUser(ctx, 'code_editor.read');
  const { owner_id, name, code_editor: enabled } = await agentFor(ctx.db, user, 'code_editor.read', i.name);
  const branch = await ctx.drivers.scm.head({ repository: sourceRepository(owner_id, name), branch: DEFAULT_BRANCH }).then(
    (head) => ({ available: true, head: head ?? null }),
    () => ({ available: false, head: null }),
  );
  const made =
    enabled && branch.available
      ? await act(ctx, 'code_editor.read', agentNamed(name), async (ctx, agent) =>
          recorded(await makeSourceToken(ctx, { agent, mode: 'write', holder: 'editor' })),
        )
      : undefined;
  const at = `${ctx.config.baseUrl}/source/v1/agents/${name}`;
  return {
    enabled,
    ...branch,
    default_branch: DEFAULT_BRANCH,
    token: made?.token ?? null,
    expires_at: made?.expires_at ?? null,
    files_url: `${at}/files`,
    commits_url: `${at}/commits`,
    deploys_url: `${at}/deploys`,
  };
}

/** @throws Conflict source_not_hosted, Unavailable source_hosting_down, BadGateway source_hosting_failed */
export async function enableCodeEditor(ctx: Ctx, i: { name: string }): Promise<Mine> {
  const user = requireUser(ctx, 'code_editor.enable');
  const agent = await agentFor(ctx.db, user, 'code_editor.enable', i.name);
  if (agent.kind !== 'hosted') throw new Conflict('source_not_hosted', `${agent.name} runs elsewhere, and its source is there: edit it there`);
  await ctx.drivers.scm.ping().catch((): never => {
    throw new Unavailable('source_hosting_down', 'Source hosting does not answer: try again in a moment', { retry_after_seconds: 5 });
  });
  await throughHosting(ctx.drivers.scm.ensure(sourceRepository(agent.owner_id, agent.name)));
  return act(ctx, 'code_editor.enable', agentNamed(i.name), async (ctx, { agent_id }) => {
    const moved = await ctx
      .db('agents')
      .where({ agent_id, code_editor: false })
      .update({ code_editor: true, updated_at: ctx.db.raw('now()') });
    const mine = presentMine(ctx.config, await agentFor(ctx.db, user, 'code_editor.enable', i.name));
    return moved > 0 ? done({ agent: agent_id }, { name: agent.name }, mine) : unchanged(mine);
  });
}

export async function disableCodeEditor(ctx: Ctx, i: { name: string }): Promise<Mine> {
  return act(ctx, 'code_editor.disable', agentNamed(i.name), async (ctx, { agent_id, name }) => {
    const moved = await ctx
      .db('agents')
      .where({ agent_id, code_editor: true })
      .update({ code_editor: false, updated_at: ctx.db.raw('now()') });
    await endSourceTokens(ctx.db, { agent_id, holder: 'editor' });
    const mine = presentMine(ctx.config, await agentFor(ctx.db, ctx.actor, 'code_editor.disable', i.name));
    return moved > 0 ? done({ agent: agent_id }, { name }, mine) : unchanged(mine);
  });
}
