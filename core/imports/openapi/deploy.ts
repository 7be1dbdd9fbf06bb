// An agent from an API description: its source is generated, merged with what its owner changed since the
// last time, and deployed.
import type { z } from 'zod';
import type { AgentFromOpenAPIOut } from '#contract/imports/from-openapi.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { BadRequest, Conflict } from '../../kernel/errors.ts';
import { acceptGenerated, fromSource } from '../../deploys/deployment/accept-generated.ts';
import { sourceRepository } from '../../agents/agent/repository.ts';
import { commitFiles, filesOfCommit } from '../../agents/source/commit-files.ts';
import type { ProjectFile } from '../../agents/source/pack.ts';
import { mergeFiles } from '../../agents/source/three-way.ts';
import { type GenerateInput, generateFrom } from './description.ts';

/** What was generated, untouched: what a later generation is compared with. */
const GENERATED_BRANCH = 'generated';

/**
 * @throws BadRequest description_unread, description_invalid, api_server_missing; Conflict
 * agent_not_generated, source_conflict; PlatformFailed source_not_committed
 */
export async function deployOpenApi(ctx: Ctx, i: GenerateInput): Promise<z.infer<typeof AgentFromOpenAPIOut>> {
  const user = requireUser(ctx, 'agent.deploy');
  const { name, files, preview } = await generateFrom(ctx, i);
  if (preview.base_url === null)
    throw new BadRequest('api_server_missing', 'The description names no server that can be used: give the address of the API as base_url');
  if (preview.operations_chosen === 0) throw new BadRequest('description_invalid', 'No operation was chosen: correct tags, methods, match or names');
  const before = await earlier(ctx, user, name);
  const merged = before ? await mergedWith(ctx, name, before, files) : files;
  const repository = sourceRepository(user.user_id, name);
  const deployment = await acceptGenerated(ctx, { files: merged, message: `Generate from ${preview.title.slice(0, 50)}`, public: i.public });
  const message = `Generated from ${preview.title.slice(0, 50)}`;
  // It is deployed already. Should this fail, the next generation is compared with the commit that was
  // deployed, or with an older one, which loses nothing.
  const commit = await commitFiles(ctx, user, { repository, branch: GENERATED_BRANCH, files, message }).catch(() =>
    before ? undefined : commitOf(ctx, deployment.deploy_id),
  );
  if (commit !== undefined) await noteGenerated(ctx, name, commit);
  return {
    ...deployment,
    regenerated: before !== undefined,
    mode: preview.mode,
    skills: preview.skills,
    files: merged.map(({ path }) => path),
    setup_fields: preview.setup_fields.map((field) => field.name),
    warnings: preview.warnings,
  };
}

interface Earlier {
  repository: string;
  /** As it was generated. */
  generated: string;
  /** As it is now. */
  current: string;
}

/**
 * Undefined: there is no such agent of this account, or none that was ever deployed. @throws Conflict
 * agent_not_generated
 */
async function earlier(ctx: Ctx, user: UserActor, name: string): Promise<Earlier | undefined> {
  const agent = await ctx.db('agents').where({ name, owner_id: user.user_id }).whereNull('deleted_at').first('agent_id', 'generated_commit');
  if (!agent) return undefined;
  const newest = await ctx.db('deployments').where({ agent_id: agent.agent_id }).whereNotNull('source_commit').orderBy('number', 'desc').first('source_commit');
  if (!newest?.source_commit) return undefined;
  if (agent.generated_commit === null)
    throw new Conflict('agent_not_generated', `${name} has source that was not generated from an API description: choose another name`);
  return { repository: sourceRepository(user.user_id, name), generated: agent.generated_commit, current: newest.source_commit };
}

async function mergedWith(ctx: Ctx, name: string, { repository, generated, current }: Earlier, files: readonly ProjectFile[]): Promise<ProjectFile[]> {
  const [base, ours] = await fromSource(Promise.all([filesOfCommit(ctx, repository, generated), filesOfCommit(ctx, repository, current)]));
  const { files: merged, conflicts } = await mergeFiles(base, ours, files, {
    scratch: await ctx.drivers.scratch(),
    labels: { ours: 'edited', theirs: 'generated' },
  });
  if (conflicts.length === 0) return merged;
  const paths = conflicts.map(({ path }) => path);
  throw new Conflict(
    'source_conflict',
    `${paths.join(', ')} of ${name} changed both in its source and in the description: write the new source with "svc openapi generate --out", merge it by hand and deploy that`,
    { conflicts },
  );
}

async function commitOf({ db }: Ctx, deploy_id: string): Promise<string | undefined> {
  return (await db('deployments').where({ deploy_id }).first('source_commit'))?.source_commit ?? undefined;
}

async function noteGenerated(ctx: Ctx, name: string, commit: string): Promise<void> {
  await act(ctx, 'agent.deploy', requireUser, async (ctx, user) => {
    const [agent] = await ctx
      .db('agents')
      .where({ name, owner_id: user.user_id })
      .whereNull('deleted_at')
      .update({ generated_commit: commit })
      .returning('agent_id');
    return agent ? done({ agent: agent.agent_id }, { name, commit }, undefined, { action: 'agent.generate' }) : unchanged(undefined);
  });
}
