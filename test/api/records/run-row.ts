import { newId } from '#core/kernel/ids.ts';
import type { Owner } from './area.ts';

export function runRow({ agent, userId, deployId }: Owner, run_id: string = newId('run')) {
  const of = { agent_id: agent.id, agent_name: agent.name, deploy_id: deployId, skill: 'greet' };
  return { run_id, ...of, user_id: userId, caller_kind: 'user', started_at: new Date() };
}
