// What accounts and operators rule: policies, limits, flags, tokens of services, evidence.
import { WEBHOOK_SECRET } from '../installation.ts';
import { githubPush } from '../../support/webhooks/events.ts';
import { eventually, type Play, ran, when } from '../play.ts';

export async function platform(play: Play): Promise<void> {
  const { ada, ben, operator } = play.people;
  await ada.api.policy.putRules({
    body: {
      policies: [{ name: 'no-example', text: '@id("no-example")\nforbid(principal, action in Action::"egress", resource in Host::"example.com");' }],
      default_outcome: 'allow',
      record_allowed: true,
      version: 0,
    },
  });
  const decided = async () => {
    await ran(play, 'harbour', 'relay', { text: 'by the rules' });
    return (await ada.api.policy.decisions({ query: {} })).items[0];
  };
  await eventually('a decision', decided, { everyMs: 2_000 });
  await denied(play);
  await ada.api.onboarding.update({ body: { tour_index: 2 } });
  const { admin } = operator.api;
  await admin.putFeatureFlag({ body: { flag_key: 'new-chart', type: 'boolean', default_value: false } });
  await admin.putUserFeatureFlags({ params: { user_id: ben.userId }, body: { overrides: { 'new-chart': true } } });
  await admin.putControlPolicy({
    params: { user_id: ben.userId },
    body: {
      suspended: false,
      may_deploy: true,
      may_publish: true,
      may_call_external: true,
      limits: { agents: 5, schedules: null, concurrent_runs: null, calls_per_minute: null },
      reason: 'A new account',
      version: 0,
    },
  });
  await services(play);
  await evidence(play);
  await agentSession(play);
}

/** A call that a limit refuses. */
async function denied(play: Play): Promise<void> {
  const { controlRoom } = play.people.ada.api;
  await controlRoom.setPolicy({ body: { only_approved_agents: true, approved_agents: ['harbour'] } });
  await ran(play, 'harbour', 'relay', { text: 'too far' }, ['failed']);
  await controlRoom.setPolicy({ body: { only_approved_agents: false, max_agent_calls_per_run: 50 } });
}

/** Tokens of services, and what one does with them. */
async function services(play: Play): Promise<void> {
  const { operator, ada } = play.people;
  const route = 'POST /v1/platform/scm/webhooks/source-push';
  const { token } = await operator.api.admin.createPlatformToken({ params: { user_id: operator.userId }, body: { service: 'forge', routes: [route] } });
  const { body, headers } = githubPush({ repository: `${ada.userId}/harbour`, after: 'a'.repeat(40), ref: 'refs/heads/other' }, WEBHOOK_SECRET);
  const address = `${play.i.baseUrl}${route.split(' ')[1]}`;
  const answer = await fetch(address, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`a push event was answered ${answer.status}: ${await answer.text()}`);
  await ada.api.auth.createCliSession({ body: {} });
}

async function evidence(play: Play): Promise<void> {
  const { ada } = play.people;
  const proof = await ada.api.agentProofs.run({
    params: { name: 'harbour' },
    body: { skill_name: 'echo', args: { text: 'proved' }, properties: [{ kind: 'matches', pattern: '^proved$', pointer: '/text' }], deadline_seconds: 900 },
  });
  await eventually('a proof', async () => {
    const { status } = await ada.api.agentProofs.get({ params: { proof_id: proof.proof_id } });
    return when(status, status !== 'running');
  });
}

/** A browser at an agent's own address. */
async function agentSession(play: Play): Promise<void> {
  const { ben } = play.people;
  const answer = await fetch(`${play.i.baseUrl}/v1/auth/agent-session/authorize?agent=harbour`, {
    headers: { authorization: `Bearer ${ben.token}` },
    redirect: 'manual',
  });
  const { redirect_to, url } = Object(answer.status === 200 ? await answer.json() : { url: answer.headers.get('location') ?? '' }) as {
    redirect_to?: string;
    url?: string;
  };
  const code = new URL(redirect_to ?? url ?? '', play.i.baseUrl).searchParams.get('code') ?? '';
  await ben.api.auth.exchangeAgentSession({ body: { agent: 'harbour', code } });
}
