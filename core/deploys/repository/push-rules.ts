// What the platform says about a push: which trees it takes, and that the default branch is deployed.
import { DEFAULT_BRANCH } from '#contract/deploys/source.ts';
import type { PushRules, RefUpdate } from '#drivers/scm/port.ts';
import { ScmError } from '#drivers/scm/names.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { DomainError } from '../../kernel/errors.ts';
import { checkTree } from '../../agents/source/check-tree.ts';
import { deployCommit } from './deploy.ts';
import { ownerOf, sourceFor } from './find.ts';
import { deploymentLines } from './follow.ts';
import { endPush } from '../deployment/claim-push.ts';
import { expectDeployment, isHostingOutage } from './pending.ts';

const DEFAULT_REF = `refs/heads/${DEFAULT_BRANCH}`;

export interface Push {
  name: string;
  /** Of the push: its sender has gone, or the process ends. */
  signal: AbortSignal;
  /** Throws where the account deploys too often. */
  takeDeploy: () => Promise<void>;
}

export function pushRules(ctx: Ctx, push: Push): PushRules {
  return {
    admit: async ({ updates, files }) => {
      try {
        for (const { ref, after } of updates) {
          // To programs it is an option: whoever names it in a command runs another command.
          if (after !== null && /^refs\/(?:heads|tags)\/-/.test(ref)) return [`${ref}: a branch or tag does not begin with "-": rename it, then push again.`];
          if (!/^refs\/(?:heads|tags)\/./.test(ref)) return [`${ref}: only branches and tags can be pushed.`];
          if (after !== null) await checkTree(files(after));
        }
        await expectDeployment(ctx, push.name, deployedOf(updates));
        return undefined;
      } catch (error) {
        if (error instanceof ScmError && error.code === 'scm_commit_missing') return ['Only commits can be pushed, and tags of commits.'];
        if (error instanceof DomainError) return ['This push is refused:', `  ${error.message}.`, 'Correct it in a new commit, then push again.'];
        throw error;
      }
    },
    received: (updates) => received(ctx, push, updates),
  };
}

/** The commit that is to be deployed. */
function deployedOf(updates: readonly RefUpdate[]): string | undefined {
  return updates.find(({ ref }) => ref === DEFAULT_REF)?.after ?? undefined;
}

async function* received(ctx: Ctx, push: Push, updates: readonly RefUpdate[]): AsyncGenerator<string> {
  const agent = await act(
    ctx,
    'source.push',
    (ctx, action) => sourceFor(ctx.db, ctx.actor, action, push.name),
    async (_, agent) => done({ agent: agent.agent_id }, { name: agent.name, updates: updates.slice(0, 20) }, agent),
  );
  const commit = deployedOf(updates);
  if (commit === undefined) return yield `Stored. A push to ${DEFAULT_BRANCH} deploys: git push origin HEAD:${DEFAULT_BRANCH}`;
  yield `Deploying ${agent.name} at ${commit.slice(0, 12)}`;
  try {
    await push.takeDeploy();
    const { deploy_id } = await deployCommit(ctx, { name: agent.name, commit, pushed: true });
    const owner = { ...ctx, actor: await ownerOf(ctx.db, agent.owner_id) };
    yield* deploymentLines(owner, { name: agent.name, deploy_id }, push.signal);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (!isHostingOutage(error)) await endPush(ctx.db, agent.agent_id, commit);
    yield `Not deployed: ${error.message}`;
    yield 'The commits are stored. Correct them and push again.';
  }
}
