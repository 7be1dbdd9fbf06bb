// What the pages of the dashboard have to show: each scene is one page or two.
import { FILES } from '../demo/files.ts';
import { personOf } from '../demo/person.ts';
import { called, exists, type Scene } from './scene.ts';

const ORGANIZATION = { slug: 'harbours', name: 'Harbours' };
const HARBOUR_LOG = { name: 'harbour-log' };
const TIDES = { name: 'tide-table' };
const ROOM = 'tide-tables';
const [BOUNTY, CLAIMED] = ['Read old tide tables', 'Outline the harbour log'];

export const SCENES: readonly Scene[] = [
  {
    what: 'files in the workspace',
    isThere: async ({ ada }) => (await ada.files.list({ query: {} })).items.length > 0,
    make: async ({ ada }) => {
      for (const [path, content] of Object.entries(FILES)) await personOf(ada).put(path, content);
    },
  },
  {
    what: 'agents that are only registered, one with a repository, with a secret, memories, a token and a domain',
    isThere: ({ ada }) => exists(ada.agents.get({ params: TIDES })),
    make: async ({ ada }) => {
      await ada.agents.fromSource({ body: { ...HARBOUR_LOG, description: 'Keeps the log of a small harbour.', tags: ['harbour'] } });
      await ada.agents.register({ body: { ...TIDES, description: 'Says when the water is high.', tags: ['harbour', 'tides'] } });
      const params = TIDES;
      await ada.agentSecrets.upsert({ params, body: { key: 'TIDE_KEY', value: 'of-no-use' } });
      await ada.agentMemory.create({ params, body: { namespace: 'harbours', key: 'hamburg', value: { high_water: '06:12' } } });
      await ada.agents.createApiToken({ params, body: { label: 'nightly report' } });
      await ada.agents.createIntegrationLink({ params, body: { label: 'a workflow' } });
      await ada.agents.addDomain({ params, body: { hostname: 'tides.example.org' } });
    },
  },
  {
    what: 'an organization with an invitation and a rule for approvals',
    isThere: async ({ ada }) => (await ada.organizations.list()).items.some(({ slug }) => slug === ORGANIZATION.slug),
    make: async ({ ada }) => {
      const params = { slug: ORGANIZATION.slug };
      await ada.organizations.create({ body: ORGANIZATION });
      await ada.organizations.invite({ params, body: { email: 'ben@svc.local', role: 'developer' } });
      const { user_id } = await ada.auth.me();
      const approvers = { people: [user_id], need: 1 };
      await ada.organizationApprovals.setPolicy({
        params,
        body: { rules: [{ name: 'files', when: { subjects: ['scope_request'] }, approvers, starter_may_count: true, deadline_seconds: 86_400 }] },
      });
    },
  },
  {
    what: 'a model key, for a server on this machine',
    isThere: async ({ ada }) => (await ada.llmCreds.list()).items.length > 0,
    make: async ({ ada }) => {
      const price = { input_micros_per_mtok: 1_000_000, cached_input_micros_per_mtok: 100_000, output_micros_per_mtok: 10_000_000 };
      const at = { provider: 'openai_compatible' as const, base_url: 'http://localhost:11434/v1', api_key: 'of-no-use', model: 'any' };
      await ada.llmCreds.put({ body: { ...at, name: 'local', price, monthly_budget_micros: 5_000_000, default: true } });
    },
  },
  {
    what: 'credits that were paid in',
    isThere: async ({ ben }) => (await ben.credits.topUps({ query: {} })).items.length > 0,
    make: async ({ ben }) => {
      const { url } = await ben.credits.checkout({ body: { amount_cents: 2_000 } });
      const page_id = new URL(url).pathname.split('/').at(-1) ?? '';
      // Payments of an installation on one machine are of test money; those of a payment processor are left
      // open.
      if (url.includes('/test-money/')) await ben.testMoney.finishCheckout({ params: { page_id }, body: { action: 'pay' } });
    },
  },
  {
    what: 'bounties',
    isThere: async ({ ben }) => (await ben.bounties.list({ query: { mine: true } })).items.some(({ title }) => title === BOUNTY),
    make: async ({ ben }) => {
      const words = { description: 'From photos of the paper ones, as CSV.', tags: ['harbour'] };
      await ben.bounties.post({ body: { title: BOUNTY, ...words } });
      await ben.bounties.post({ body: { title: CLAIMED, ...words, reward_micros: 50_000 } });
    },
  },
  {
    what: 'a rule of the account',
    isThere: async ({ ada }) => (await ada.policy.rules()).version > 0,
    make: async ({ ada }) => {
      const text = '@id("no-example")\nforbid(principal, action in Action::"egress", resource in Host::"example.com");';
      await ada.policy.putRules({ body: { policies: [{ name: 'no-example', text }], default_outcome: 'allow', record_allowed: true, version: 0 } });
    },
  },
  {
    what: 'simulations',
    isThere: async ({ ada }) => (await ada.kernelSimulations.list({ query: {} })).items.length > 0,
    make: async ({ ada }) => {
      await ada.kernelSimulations.start({ body: { template: 'tournament', steps: 5, seed: 7, title: 'Race to the harbour' } });
      await ada.kernelSimulations.start({ body: { template: 'creator-market', steps: 20, seed: 7, title: 'A small market' } });
    },
  },
  {
    what: 'a conversation',
    isThere: async ({ ada }) => (await ada.chatThreads.list({ query: {} })).items.length > 0,
    make: async ({ ada }) => {
      const { thread_id } = await ada.chatThreads.create({ body: { title: 'Tides' } });
      await ada.chat.send({ body: { thread_id, message: 'Which agents do I have?' } });
    },
  },
  {
    what: 'a feature flag',
    isThere: async ({ operator }) => (await operator.admin.listFeatureFlags({ query: {} })).items.some(({ flag_key }) => flag_key === 'new-chart'),
    make: async ({ operator }) => void (await operator.admin.putFeatureFlag({ body: { flag_key: 'new-chart', type: 'boolean', default_value: false } })),
  },
  {
    what: 'calls with receipts, and a durable run',
    needs: 'answers',
    isThere: async ({ ada, answers }) => (await ada.agentReceipts.list({ params: { name: called(answers).agent }, query: { limit: 3 } })).items.length === 3,
    make: async ({ ada, ben, answers }) => {
      const { agent, skill, args } = called(answers);
      const invoke = { params: { name: agent, skill_name: skill }, body: args };
      for (const person of [ada, ada, ben]) await (await person.agents.invoke(invoke)).text();
      await ada.agents.startRun(invoke);
      await ben.agents.startRun(invoke);
    },
  },
  {
    what: 'a price of a skill, an installed agent and a claimed bounty',
    needs: 'answers',
    isThere: async ({ ben }) => (await ben.installedAgents.list({ query: {} })).items.length > 0,
    make: async ({ ada, ben, answers }) => {
      const { agent, skill } = called(answers);
      await ada.prices.put({ params: { name: agent, skill }, body: { call_micros: 10_000, free_calls: 3 } });
      await ben.installedAgents.install({ params: { name: agent }, body: {} });
      const posted = (await ben.bounties.list({ query: { mine: true } })).items.find(({ title, state }) => title === CLAIMED && state === 'open');
      if (posted) await ada.bounties.claim({ params: { slug: posted.slug }, body: { agent } });
    },
  },
  {
    what: 'schedules, one of them paused',
    needs: 'answers',
    isThere: async ({ ada }) => (await ada.schedules.list({ query: {} })).items.length > 0,
    make: async ({ ada, answers }) => {
      const target = { kind: 'skill' as const, ...called(answers) };
      await ada.schedules.create({ body: { title: 'Every morning', cron: '0 7 * * *', time_zone: 'Europe/Berlin', target } });
      const { schedule_id } = await ada.schedules.create({ body: { title: 'Every minute', cron: '* * * * *', target } });
      await ada.schedules.update({ params: { schedule_id }, body: { paused: true } });
    },
  },
  {
    what: 'a trial room',
    needs: 'answers',
    isThere: ({ ada }) => exists(ada.trialRooms.get({ params: { slug: ROOM } })),
    make: async ({ ada, answers }) => {
      const { agent, skill, args } = called(answers);
      await ada.trialRooms.create({
        body: { title: 'Who does it best', slug: ROOM, goal: 'The same, faster', cases: [{ name: 'plain', inputs: args, facts: [] }] },
      });
      await ada.trialRooms.run({ params: { slug: ROOM }, body: { contestants: [{ agent, skill }] } });
    },
  },
  {
    what: 'a run that waits for an answer of ada@svc.local',
    needs: 'asks',
    isThere: async ({ ada }) => (await ada.inbox.waits({ query: {} })).items.length > 0,
    make: async ({ ada, asks }) => {
      const { agent, skill, args } = called(asks);
      await ada.agents.startRun({ params: { name: agent, skill_name: skill }, body: args });
    },
  },
];
