// One address of each page, over the records of the test world. A new page is a new line here: it is then opened in both themes and widths,
// held against the accessibility rules, and photographed.
import type { World } from '../api/world.ts';

export interface PagePath {
  name: string;
  path: string;
  who?: 'ada' | 'operator';
}

export function pagePaths({ records }: World): PagePath[] {
  const of = (name: string): string => encodeURIComponent(records[name] ?? `no record of ${name}`);
  const agent = `/agents/${of('name')}`;
  return [
    { name: 'home signed out', path: '/' },
    { name: 'home', path: '/', who: 'ada' },
    { name: 'sign in first', path: '/settings' },
    { name: 'nothing here', path: '/no/such/page' },
    { name: 'settings', path: '/settings', who: 'ada' },
    { name: 'agent', path: agent, who: 'ada' },
    { name: 'docs start', path: '/docs' },
    { name: 'docs concepts', path: '/docs/concepts' },
    { name: 'docs guide', path: '/docs/authoring/typescript', who: 'ada' },
    { name: 'docs commands', path: '/docs/cli/calls' },
    { name: 'docs search', path: '/docs?q=receipt' },
    { name: 'registry', path: '/agents', who: 'ada' },
    { name: 'registry signed out', path: '/agents' },
    { name: 'registry found', path: '/agents?q=greet&show=mine', who: 'ada' },
    { name: 'registry installed', path: '/agents?show=installed', who: 'ada' },
    { name: 'agent try', path: `${agent}/skills/${of('skill_name')}`, who: 'ada' },
    { name: 'agent use', path: `${agent}/use?as=python`, who: 'ada' },
    { name: 'agent evidence', path: `${agent}/evidence`, who: 'ada' },
    { name: 'agent receipts', path: `${agent}/receipts`, who: 'ada' },
    { name: 'agent memory', path: `${agent}/memory`, who: 'ada' },
    { name: 'agent setup', path: `${agent}/setup`, who: 'ada' },
    { name: 'inbox', path: '/inbox', who: 'ada' },
    { name: 'runs', path: '/runs', who: 'ada' },
    { name: 'runs of nothing', path: '/runs?state=failed&agent=nobody', who: 'ada' },
    { name: 'run timeline', path: `/runs/${of('run.ended')}`, who: 'ada' },
    { name: 'run inspector', path: `/runs/${of('run.ended')}?span=%22bbbbbbbbbbbbbbbb%22&look=true`, who: 'ada' },
    { name: 'run events', path: `/runs/${of('run.ended')}?tab=events&event=3`, who: 'ada' },
    { name: 'run data', path: `/runs/${of('run.ended')}?tab=data`, who: 'ada' },
    { name: 'run files', path: `/runs/${of('run.ended')}?tab=files`, who: 'ada' },
    { name: 'run grants', path: `/runs/${of('run.ended')}?tab=grants`, who: 'ada' },
    { name: 'run receipt', path: `/runs/${of('run.ended')}?tab=receipt`, who: 'ada' },
    { name: 'run waiting', path: `/runs/${of('run.waiting')}`, who: 'ada' },
    { name: 'run of 10000 events', path: `/runs/${of('run.long')}?tab=events`, who: 'ada' },
    { name: 'job', path: `/jobs/${of('job.waiting')}`, who: 'ada' },
    { name: 'calls', path: '/calls', who: 'ada' },
    { name: 'call between agents', path: `/calls/${of('grant_id')}`, who: 'ada' },
    { name: 'sessions', path: `/sessions?agent=${of('name')}`, who: 'ada' },
    { name: 'session', path: `/sessions/${of('session_id')}`, who: 'ada' },
    { name: 'receipts', path: '/receipts' },
    { name: 'receipt by id', path: `/receipts?agent=${of('name')}&id=${of('receipt.of_run')}`, who: 'ada' },
    { name: 'chat new', path: '/chat', who: 'ada' },
    { name: 'chat thread', path: `/chat/${of('thread_id')}`, who: 'ada' },
    { name: 'plans', path: '/plans', who: 'ada' },
    { name: 'plan', path: `/plans/${of('dag_run_id')}`, who: 'ada' },
    { name: 'bounties', path: '/bounties', who: 'ada' },
    { name: 'bounties signed out', path: '/bounties' },
    { name: 'bounties new', path: '/bounties?edit=new', who: 'ada' },
    { name: 'bounty', path: `/bounties/${of('slug')}`, who: 'ada' },
    { name: 'bounty signed out', path: `/bounties/${of('slug')}` },
    { name: 'schedules', path: '/schedules', who: 'ada' },
    { name: 'schedules new', path: '/schedules?edit=new', who: 'ada' },
    { name: 'schedules edit', path: `/schedules?edit=${of('schedule_id')}`, who: 'ada' },
    { name: 'goals', path: `/agents/mine/${of('name')}/goals`, who: 'ada' },
    { name: 'goals new', path: `/agents/mine/${of('name')}/goals?make=true`, who: 'ada' },
    { name: 'a goal', path: `/agents/mine/${of('name')}/goals/${of('metaAgentRuns.get.run_id')}`, who: 'ada' },
    { name: 'chat nothing put away', path: '/chat?archived=true', who: 'ada' },
    { name: 'models', path: '/models', who: 'ada' },
    { name: 'models, catalog', path: '/models/catalog', who: 'ada' },
    { name: 'models, usage', path: '/models/usage', who: 'ada' },
    { name: 'operator', path: '/operator', who: 'operator' },
    { name: 'operator, users', path: '/operator/users', who: 'operator' },
    { name: 'operator, one user', path: `/operator/users/${of('user_id')}`, who: 'operator' },
    { name: 'operator, flags', path: '/operator/flags', who: 'operator' },
    { name: 'operator, settings', path: '/operator/settings', who: 'operator' },
    { name: 'operator, billing', path: '/operator/billing', who: 'operator' },
    { name: 'operator, mail', path: '/operator/mail', who: 'operator' },
    { name: 'files', path: '/files', who: 'ada' },
    { name: 'files of a folder', path: '/files?folder=drafts/', who: 'ada' },
    { name: 'files, one open', path: `/files?folder=drafts/&path=drafts/moved.txt`, who: 'ada' },
    { name: 'files, none', path: '/files?folder=none/', who: 'ada' },
    { name: 'grants of files', path: '/grants', who: 'ada' },
    { name: 'grant of files', path: `/grants/${of('grant_id')}`, who: 'ada' },
    ...ownerPaths(of),
  ];
}

/** What an owner does with an agent. */
function ownerPaths(of: (name: string) => string): PagePath[] {
  const mine = `/agents/mine/${of('name')}`;
  const tabs = [
    '',
    'deployments',
    'source',
    'calls',
    'insights',
    'evidence',
    'evaluation',
    'secrets',
    'access',
    'domains',
    'mailbox',
    'reviews',
    'upkeep',
    'dev-box',
  ];
  return [
    { name: 'my agents', path: '/agents/mine', who: 'ada' },
    { name: 'my agents none', path: '/agents/mine', who: 'operator' },
    { name: 'my agents make', path: '/agents/mine?make=import', who: 'ada' },
    ...tabs.map((tab) => ({ name: `mine ${tab || 'overview'}`, path: `${mine}/${tab}`, who: 'ada' as const })),
    { name: 'mine deployment', path: `${mine}/deployments/${of('deploy_id')}`, who: 'ada' },
    { name: 'mine evidence, graph', path: `${mine}/evidence?view=graph`, who: 'ada' },
    { name: 'mine insights, by version', path: `${mine}/insights?days=365&by=version`, who: 'ada' },
    { name: 'mine changes', path: `${mine}/deployments/${of('deploy_id')}?view=changes`, who: 'ada' },
    { name: 'mine imported', path: `/agents/mine/${of('agentAuth.status.name')}`, who: 'ada' },
    { name: 'mine auth', path: `/agents/mine/${of('agentAuth.status.name')}/auth`, who: 'ada' },
  ];
}
