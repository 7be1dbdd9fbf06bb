// What an owner should look at, the gravest first; made of what the platform says of the agent.
import type { Output } from '../../api/client.ts';

export interface Facts {
  mine: Output<'agents', 'mineOne'>;
  /** The live one. */
  deployment: Output<'agents', 'deployment'> | null;
  secrets: Output<'agentSecrets', 'list'> | null;
  domains: Output<'agents', 'domains'> | null;
  healing: Output<'agents', 'selfHealing'> | null;
  review: Output<'agents', 'reviewRun'> | null;
  findings: Pick<Output<'findings', 'list'>, 'frozen_by'> | null;
}

export interface Todo {
  grave: boolean;
  title: string;
  text?: string;
  /** The tab where it is put right. */
  to?: 'deployments' | 'secrets' | 'domains' | 'upkeep' | 'reviews' | 'challenges' | 'auth';
  /** A deployment to look at. */
  deployId?: string;
}

export function todos({ mine, deployment, secrets, domains, healing, review, findings }: Facts): Todo[] {
  const todoList: Todo[] = [];
  if (mine.out_of_service) todoList.push({ grave: true, title: 'It is out of service', text: mine.out_of_service.reason });
  if (mine.imported?.failure) todoList.push({ grave: true, title: 'It does not answer with a card', text: mine.imported.failure.message, to: 'auth' });
  const last = mine.last_deployment;
  if (last?.state === 'failed')
    todoList.push({
      grave: mine.state !== 'live',
      title: 'The newest deployment failed',
      ...(last.error && { text: last.error.message }),
      deployId: last.deploy_id,
    });
  if (findings?.frozen_by != null)
    todoList.push({
      grave: true,
      title: 'Publishing is blocked',
      text: 'A critical finding is open: until you answer it, the agent is not published and not upgraded.',
      to: 'challenges',
    });
  const missing = secrets?.missing ?? [];
  if (missing.length > 0)
    todoList.push({ grave: true, title: plural(missing.length, 'secret is', 'secrets are') + ' missing', text: missing.join(', '), to: 'secrets' });
  // Which secrets are missing now is named above; a warning is as old as the deployment.
  for (const { code, message } of deployment?.warnings ?? []) if (code !== 'secret_missing' || !secrets) todoList.push({ grave: false, title: message });
  const repair = healing?.repairs[0];
  if (repair?.state === 'needs_human' || repair?.state === 'awaiting_secret')
    todoList.push({ grave: true, title: 'A repair waits for you', ...(repair.outcome && { text: repair.outcome.message }), to: 'upkeep' });
  if (review && review.critical_count > 0)
    todoList.push({
      grave: true,
      title: plural(review.critical_count, 'critical finding', 'critical findings') + ' in the newest review',
      text: review.summary,
      to: 'reviews',
    });
  for (const { display_name, state, problem, certificate } of domains ?? []) {
    const text = problem ?? certificate?.problem;
    if (text != null) todoList.push({ grave: state === 'suspended' || state === 'failed', title: `${display_name} is ${state}`, text, to: 'domains' });
  }
  return todoList.toSorted((a, b) => Number(b.grave) - Number(a.grave));
}

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
