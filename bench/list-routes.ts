// The list and search routes that are compared with few rows and with many; a test asks PostgreSQL how it answers each.
import { DEPLOY_ID, JOB_ID } from './lists-data.ts';

export const LISTS: Record<string, string> = {
  'agents.mine': '/v1/agents/mine?limit=100',
  'agents.mine, page 2': `/v1/agents/mine?limit=100&cursor=${cursor(['agent-5'])}`,
  'agents.list': '/v1/agents?limit=100',
  'agents.search': '/v1/agents/search?q=number%20777',
  'agents.search, misspelt': '/v1/agents/search?q=numbr%20777',
  'agents.search, a common word': '/v1/agents/search?q=demo',
  'agents.search, a word of every twentieth': '/v1/agents/search?q=sector7',
  'agents.search, nothing asked': '/v1/agents/search',
  'agents.search, by tag': '/v1/agents/search?q=number&tag=tag-5',
  'agents.search, by tag alone': '/v1/agents/search?tag=tag-5&tag=demo',
  'agents.search, by skill': '/v1/agents/search?q=number&skill=greet',
  'agents.search, by skill alone': '/v1/agents/search?skill=greet',
  'agents.mineSummary': '/v1/agents/mine/summary',
  'agents.deployments': '/v1/agents/agent-1/deployments',
  'agents.deploymentLogs': `/v1/agents/agent-1/deployments/${DEPLOY_ID}/logs?tail=100`,
  'agents.reviewRuns': '/v1/agents/agent-1/review-runs',
  'agents.latestReview': '/v1/agents/agent-1/review-runs/latest',
  'agents.selfHealing': '/v1/agents/agent-1/self-healing',
  'agentAuth.status': '/v1/agents/agent-1/auth',
  'agentMailboxes.get': '/v1/agents/agent-1/mailbox',
  'agentMailboxes.events': '/v1/agents/agent-1/mailbox/events',
  'agentMailboxes.events, page 2': `/v1/agents/agent-1/mailbox/events?cursor=${cursor([(Date.now() - 100 * 3_600_000) * 1000, 'mev_100'])}`,
  'onboarding.get': '/v1/me/onboarding',
  'public.agents': '/v1/public/agents',
  'public.agents, by tag': '/v1/public/agents?tag=demo',
  'workLedger.activity': '/v1/me/activity',
  // The same page of both: with few rows it has two jobs.
  'workLedger.activity, one agent': '/v1/me/activity?agent=agent-1&limit=2',
  'workLedger.events': `/v1/me/jobs/${JOB_ID}/events?limit=100`,
  'agentReceipts.list': '/v1/agents/agent-1/receipts',
  'agents.apiTokens': '/v1/agents/agent-1/api-tokens',
  'agents.accountAccess': '/v1/agents/agent-1/account-access',
  'agents.integrationLinks': '/v1/agents/agent-1/integration-links',
  'agents.domains': '/v1/agents/agent-1/domains',
  'agentSecrets.list': '/v1/agents/agent-1/secrets',
  'agentMemory.list': '/v1/agents/agent-1/memory',
  'agentMemory.search': '/v1/agents/agent-1/memory/search?q=colour%20777',
  'installedAgents.list': '/v1/installed-agents',
  'featureFlags.list': '/v1/me/feature-flags',
  'admin.listFeatureFlags': '/v1/admin/feature-flags',
  'admin.listUsers': '/v1/admin/users?limit=100',
  'admin.listUsers, page 2': `/v1/admin/users?limit=100&cursor=${cursor(['usr_500'])}`,
  'admin.listUsers, by an email address': '/v1/admin/users?email=other-777@svc.local',
  // The same page of both: with few rows one account has it.
  'admin.listUsers, by a part of one in 1,000': '/v1/admin/users?email=other-777&limit=1',
  'admin.listUsers, by a part of one in 10': '/v1/admin/users?email=other-7',
  'admin.listUsers, by a common word': '/v1/admin/users?email=svc.local',
  'admin.listUsers, by id': '/v1/admin/users?id_prefix=usr_77',
  'admin.userFeatureFlags': '/v1/admin/users/usr_bench/feature-flags',
  'admin.listSettings': '/v1/admin/settings',
};

function cursor(key: (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}
