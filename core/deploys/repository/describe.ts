import type { z } from 'zod';
import { type AgentSourceOut, DEFAULT_BRANCH } from '#contract/deploys/source.ts';
import type { SourceControl } from '#drivers/scm/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { defaultSourceLimits } from '../../agents/source/limits.ts';
import { cloneUrl, sourceRepository } from '../../agents/agent/repository.ts';
import { sourceFor } from './find.ts';
import { throughHosting } from './hosting.ts';

const MAX_NAMES = 200;

export async function describeSource(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof AgentSourceOut>> {
  const agent = await sourceFor(ctx.db, ctx.actor, 'source.describe', i.name);
  const repository = sourceRepository(agent.owner_id, agent.name);
  const { scm } = ctx.drivers;
  const head = await throughHosting(scm.head({ repository, branch: DEFAULT_BRANCH }));
  const files = head === undefined ? { count: 0, bytes: 0, top_level: [] } : await throughHosting(summaryOf(scm, repository, head));
  const live = agent.live_deploy_id === null ? undefined : await ctx.db('deployments').where({ deploy_id: agent.live_deploy_id }).first('source_commit');
  return {
    name: agent.name,
    repository,
    default_branch: DEFAULT_BRANCH,
    clone_url: cloneUrl(ctx.config, agent.name),
    head: head ?? null,
    live_commit: live?.source_commit ?? null,
    files,
    code_editor: agent.code_editor,
  };
}

/** What was pushed has at most as many files as a project may have; history from before may have more. */
async function summaryOf(scm: SourceControl, repository: string, commit: string): Promise<z.infer<typeof AgentSourceOut>['files']> {
  const names = new Set<string>();
  const seen = { count: 0, bytes: 0 };
  for await (const { path, size } of scm.files({ repository, commit })) {
    const slash = path.indexOf('/');
    if (names.size < MAX_NAMES) names.add(slash === -1 ? path : path.slice(0, slash + 1));
    seen.count += 1;
    seen.bytes += size;
    if (seen.count === defaultSourceLimits.entries) break;
  }
  return { ...seen, top_level: [...names].toSorted() };
}
