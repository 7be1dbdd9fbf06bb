// Deploying what is here already: the head of the repository, or an earlier deployment once more.
import { useNavigate } from '@tanstack/react-router';
import { type GroupName } from '../../api/client.ts';
import { useSend } from '../../api/query.ts';
import { Action, type ActionProps, AskingAction } from '../../kit/action.tsx';
import type { DeploymentOf } from './list.tsx';

const refresh: GroupName[] = ['agents'];
const BUSY = 'A deployment is under way: wait for its end.';

function useRedeploy(name: string, done: string) {
  const navigate = useNavigate();
  return useSend('agents', 'redeploy', {
    done,
    refresh,
    onDone: ({ deploy_id }) => void navigate({ to: '/agents/mine/$name/deployments/$deployId', params: { name, deployId: deploy_id } }),
  });
}

export function DeployHead({ name, underWay, hasOne }: { name: string; underWay: boolean; hasOne: boolean }) {
  const sending = useRedeploy(name, 'Deploying.');
  return (
    <AskingAction
      label="Deploy again"
      variant="filled"
      not={underWay && BUSY}
      loading={sending.isPending}
      question={hasOne ? `Deploy the newest source of ${name}?` : `Deploy the source of ${name}?`}
      onAct={() => sending.mutate({ params: { name } })}
    >
      The newest commit of its repository is built, or what the newest deployment was made of. What serves now serves until the new one is checked.
    </AskingAction>
  );
}

export function Rollback({ name, to, underWay, ...look }: { name: string; to: DeploymentOf; underWay: boolean } & Pick<ActionProps, 'size' | 'variant'>) {
  const { number, version, deploy_id, state } = to;
  const sending = useRedeploy(name, `Rolling back to deployment ${number}.`);
  const not = refusal(state, underWay);
  if (not !== undefined) return <Action label="Roll back" {...look} not={not} onAct={() => undefined} />;
  return (
    <AskingAction
      label="Roll back"
      {...look}
      loading={sending.isPending}
      question={`Roll ${name} back to deployment ${number}?`}
      onAct={() => sending.mutate({ params: { name }, query: { deploy_id } })}
    >
      {`It becomes a new deployment with the source of deployment ${number}${version === null ? '' : ` (${version})`}: its image where it is kept, else built again. Secrets, and what callers set, stay as they are.`}
    </AskingAction>
  );
}

/** The commit of one that was never live once more: what failed then may work now. */
export function DeployCommit({ name, of: { source_commit: commit }, underWay }: { name: string; of: DeploymentOf; underWay: boolean }) {
  const navigate = useNavigate();
  const sending = useSend('sourceEditor', 'deploy', {
    done: 'Deploying.',
    refresh,
    onDone: ({ deploy_id }) => void navigate({ to: '/agents/mine/$name/deployments/$deployId', params: { name, deployId: deploy_id } }),
  });
  const not = commit === null ? 'Its source was not stored as a commit.' : underWay && BUSY;
  return (
    <Action
      label="Deploy this commit"
      not={not}
      loading={sending.isPending}
      onAct={() => commit !== null && sending.mutate({ params: { name }, body: { commit } })}
    />
  );
}

function refusal(state: string, underWay: boolean): string | undefined {
  if (state === 'live') return 'It is live.';
  if (state === 'failed' || state === 'cancelled') return 'It was never live.';
  return underWay ? BUSY : undefined;
}
