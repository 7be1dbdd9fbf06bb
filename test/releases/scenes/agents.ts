// Agents of every kind: pushed with git, imported, with names, secrets, prices and mail of their own.
import { join } from 'node:path';
import { harbour, pilot } from '../agents.ts';
import { eventually, git, type Play, when, writeFiles } from '../play.ts';

export async function agents(play: Play): Promise<void> {
  const { api } = play.people.ada;
  await api.llmCreds.put({
    body: {
      name: 'main',
      provider: 'openai_compatible',
      base_url: play.outside.provider.url,
      api_key: secret(play, 'llm_key', 'fixture-model-key'),
      model: 'm-1',
      price: { input_micros_per_mtok: 1_000_000, cached_input_micros_per_mtok: 100_000, output_micros_per_mtok: 10_000_000 },
      monthly_budget_micros: 5_000_000,
      agent_run_budget_micros: 1_000_000,
      default: true,
    },
  });
  for (const [name, files] of [
    ['harbour', harbour('1.0.0')],
    ['pilot', pilot('1.0.0')],
  ] as const) {
    await api.agents.fromSource({ body: { name } });
    play.notes.repositories[name] = await pushed(play, name, files);
    await live(play, name);
    play.say(`${name} is live`);
  }
  await elsewhere(play);
  await equipped(play);
}

async function elsewhere(play: Play): Promise<void> {
  const { api } = play.people.ada;
  await api.agents.import({ body: { url: play.outside.remote.url, name: 'lighthouse' } });
  await live(play, 'lighthouse');
  await api.agentAuth.connect({ params: { name: 'lighthouse' }, body: { kind: 'bearer', token: secret(play, 'lighthouse_token', 'fixture-bearer-token') } });
  await api.agents.compose({
    body: { name: 'fleet', goal: { objective: 'Bring ships in' }, composition: { sub_agents: [{ name: 'harbour', skills: ['echo'] }] } },
  });
}

/** What an agent has beside its source. */
async function equipped(play: Play): Promise<void> {
  const { ada, ben } = play.people;
  const { api } = ada;
  const params = { name: 'harbour' };
  await api.agentSecrets.upsert({ params, body: { key: 'TIDE_KEY', value: secret(play, 'TIDE_KEY', 'fixture-tide-key') } });
  await api.agentMemory.create({ params, body: { namespace: 'facts', key: 'name', value: 'Ada' } });
  await api.agents.createApiToken({ params, body: { label: 'nightly report' } });
  await api.agents.createIntegrationLink({ params, body: { label: 'a workflow' } });
  await api.callerScopes.give({ params, body: { account: (await ben.api.auth.me({})).user_id, scopes: ['tides:write'] } });
  for (const name of ['harbour', 'pilot']) await api.agents.setVisibility({ params: { name }, body: { visibility: 'public' } });
  await api.prices.put({ params: { ...params, skill: 'echo' }, body: { call_micros: 6_234_567, free_calls: 1 } });
  await ben.api.consumerSetup.put({
    params: { name: 'pilot' },
    body: { values: { region: 'south', radio_key: secret(play, 'radio_key', 'fixture-radio-key') } },
  });
  await ben.api.installedAgents.install({ params, body: {} });
  await mailbox(play);
  await domain(play);
}

/** Plain now, sealed in the fixture. */
export function secret(play: Play, name: string, value: string): string {
  play.notes.secrets[name] = value;
  return value;
}

async function pushed(play: Play, name: string, files: Record<string, string>): Promise<string> {
  const { i, people } = play;
  const folder = join(i.home, 'pushes', name);
  const { token } = await people.ada.api.sourceEditor.createToken({ params: { name }, body: { mode: 'write' } });
  await writeFiles(folder, files);
  await git(folder, 'init', '-q', '-b', 'main');
  await git(folder, 'add', '-A');
  await git(folder, 'commit', '-q', '-m', `${name} 1.0.0`);
  await git(folder, 'push', '-q', `${i.baseUrl.replace('://', `://x:${token}@`)}/git/${name}.git`, 'main');
  return git(folder, 'rev-parse', 'HEAD');
}

async function live(play: Play, name: string): Promise<void> {
  await eventually(`${name} to be live`, async () => {
    const [latest] = await play.people.ada.api.agents.deployments({ params: { name } });
    if (latest?.state === 'failed') throw new Error(JSON.stringify(latest));
    return when(true, latest?.state === 'live');
  });
}

async function mailbox(play: Play): Promise<void> {
  const { agentMailboxes } = play.people.ada.api;
  const params = { name: 'harbour' };
  // svc.yaml declares it: then it is there, and this is refused.
  await agentMailboxes.create({ params, body: { allowed_senders: ['@friend.example'] } }).catch(() => undefined);
  await eventually('a mailbox', async () => when(true, (await agentMailboxes.get({ params })).state === 'ready'));
  await play.outside.write({ from: 'sailor', agent: 'harbour', subject: 'tide', text: 'When is high water?' });
  await eventually('an answer to a mail', async () => when(true, play.outside.relay.mails.length > 0));
}

/** One with a certificate, and one that waits for its proof. */
async function domain(play: Play): Promise<void> {
  const { agents: own } = play.people.ada.api;
  const { dns } = play.outside;
  const params = { name: 'harbour', hostname: 'harbour.example.org' };
  dns.set('A', params.hostname, '127.0.0.1');
  await own.addDomain({ params, body: { hostname: params.hostname } });
  const shown = async () => (await own.domains({ params })).find(({ hostname }) => hostname === params.hostname);
  dns.set('TXT', `_svc-challenge.${params.hostname}`, (await shown())?.records[0]?.value ?? '');
  await own.verifyDomain({ params });
  await eventually('a certificate', async () => when(true, (await shown())?.certificate?.state === 'issued'));
  await own.addDomain({ params, body: { hostname: 'pier.example.org' } });
}
