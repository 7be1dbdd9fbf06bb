// What is kept at the control plane for agents and their callers: secrets, setup, schedules. Against the real
// HTTP kernel.
import { beforeEach, expect, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { agents } from '#contract/agents/agents.ts';
import { agentSecrets } from '#contract/agents/agent-secrets.ts';
import { consumerSetup } from '#contract/agents/consumer-setup.ts';
import { schedulePreviews, schedules, type ScheduleIn } from '#contract/conversation/schedules.ts';
import { EXIT } from '../lib/exit-codes.ts';
import type { Schedule } from '../schedules/schedules.ts';
import type { Setup } from '../setup/ask.ts';
import { signedIn, toolAt, typing } from '../test/signed-in.ts';

const at = '2026-11-22T04:00:00.000Z';
const SCHEDULE = 'sch_00000000-0000-7000-8000-000000000001';
const secret = { key: 'API_TOKEN', version: 2, inject: null, created_at: at, updated_at: at };
const token = { token_id: 17, label: 'nightly', scopes: ['weekly'], created_at: at, expires_at: at, last_used_at: null };
const link = {
  link_id: 17,
  label: 'builder',
  token_placement: 'url_query' as const,
  scopes: null,
  created_at: at,
  expires_at: at,
  last_used_at: null,
  openapi_url: 'http://x/openapi.json',
  invoke_base_url: 'http://x/invoke',
  sample_invoke_url: null,
  mcp_url: 'http://x/mcp',
};
const field: Setup['fields'][number] = {
  name: 'region',
  kind: 'config',
  type: 'string',
  title: 'Region',
  description: 'Where it works',
  required: true,
  scope: 'user',
  default: null,
  source: 'missing',
  value: null,
  updated_at: null,
};
const schedule: Schedule = {
  schedule_id: SCHEDULE,
  title: 'Weekly',
  cron: '0 9 * * mon',
  time_zone: 'Europe/Berlin',
  skipped_times: 'run_after',
  repeated_times: 'once',
  overlap: 'skip',
  catchup_window_seconds: 3600,
  jitter_seconds: 0,
  pause_on_failure: true,
  paused: true,
  paused_by: 'failure',
  target: { kind: 'skill', agent: 'reporter', skill: 'weekly', args: {} },
  next_times: [],
  clock_changes: [],
  last_run: { cause: 'time', due_at: at, state: 'failed', job_id: null, run_id: null, error: null, started_at: at, ended_at: at },
  last_error: { code: 'agent_not_live', message: 'deploy it first' },
  failures_in_a_row: 3,
  in_effect: true,
  sync_error: null,
  created_at: at,
  updated_at: at,
};

const seen = { tokens: [] as unknown[], secrets: [] as unknown[], setup: [] as unknown[], schedules: [] as unknown[] };
let setup: Setup;
let listed: Schedule[];
beforeEach(() => {
  Object.assign(seen, { tokens: [], secrets: [], setup: [], schedules: [] });
  setup = {
    agent: 'reporter',
    complete: false,
    missing: ['region', 'api_key'],
    fields: [
      field,
      { ...field, name: 'api_key', kind: 'secret', title: null },
      { ...field, name: 'limit', type: 'number', required: false, default: 5, source: 'default', value: 5 },
    ],
  };
  listed = [schedule];
});

function serve() {
  return serveForTest(
    {
      agents: {
        get: agents.get,
        apiTokens: agents.apiTokens,
        createApiToken: agents.createApiToken,
        revokeApiToken: agents.revokeApiToken,
        integrationLinks: agents.integrationLinks,
        createIntegrationLink: agents.createIntegrationLink,
        revokeIntegrationLink: agents.revokeIntegrationLink,
      },
      agentSecrets,
      consumerSetup,
      schedules: { ...schedules, ...schedulePreviews },
    },
    {
      agents: {
        get: () => Promise.reject(new Error('not asked')),
        apiTokens: () => (seen.tokens.length > 0 ? [] : [token]),
        createApiToken(_ctx, { body }) {
          seen.tokens.push(body);
          return { ...token, token: 'svc_once' };
        },
        revokeApiToken: (_ctx, { params }) => void seen.tokens.push(params),
        integrationLinks: () => (seen.tokens.length > 0 ? [] : [link]),
        createIntegrationLink(_ctx, { body }) {
          seen.tokens.push(body);
          return { ...link, token: 'svc_once', curl_example: "curl 'http://x'", security_notice: 'Keep it.' };
        },
        revokeIntegrationLink: (_ctx, { params }) => void seen.tokens.push(params),
      },
      agentSecrets: {
        list: () => ({ items: seen.secrets.length > 0 ? [] : [secret], missing: seen.secrets.length > 0 ? ['API_TOKEN'] : [] }),
        upsert(_ctx, { body, query }) {
          seen.secrets.push(body);
          return { ...secret, inject: body.inject, applies: query.restart ? ('restarting' as const) : ('next_start' as const), deploy_id: null, job_id: null };
        },
        delete: (_ctx, { params, query }) => void seen.secrets.push(query.restart ? { ...params, ...query } : params),
      },
      consumerSetup: {
        get: () => setup,
        put(_ctx, { body }) {
          seen.setup.push(body.values);
          setup = { ...setup, complete: true, missing: [] };
          return setup;
        },
        putOrg: () => setup,
        invocation: () => ({ agent: 'reporter', ready: true, missing: [], path: '', fields: [] }),
        delete: () => undefined,
      },
      schedules: {
        list: () => ({ items: listed, next_cursor: null }),
        create(_ctx, { body }) {
          seen.schedules.push(body);
          return { ...schedule, ...created(body), next_times: [at], clock_changes: [changed] };
        },
        update(_ctx, { params, body }) {
          seen.schedules.push({ ...params, ...body });
          return { ...schedule, next_times: [at], clock_changes: [changed] };
        },
        remove: (_ctx, { params }) => void seen.schedules.push(params),
        run: () => ({
          cause: 'manual' as const,
          due_at: at,
          state: 'starting' as const,
          job_id: null,
          run_id: null,
          error: null,
          started_at: at,
          ended_at: null,
        }),
        preview(_ctx, { query }) {
          seen.schedules.push(query);
          return { next_times: [at, '2027-03-28T01:00:00.000Z'], clock_changes: [changed] };
        },
      },
    },
  );
}
const changed = { kind: 'skipped' as const, at: '2027-03-28T01:00:00.000Z', local_time: '2027-03-28T02:30', count: 1, runs_at: ['2027-03-28T01:00:00.000Z'] };
const created = ({ title, ...body }: ScheduleIn) => ({ ...body, title: title ?? 'reporter.weekly' });

const svc = (...argv: string[]) => tool.run(argv, signedIn);
const { tool } = await toolAt(await serve());

test('secrets set: typed without being shown, or from standard input; never from the command line', async () => {
  const typed = await tool.run(['secrets', 'set', 'reporter', 'API_TOKEN'], typing('s3cret'));
  expect(typed).toMatchObject({ code: EXIT.ok, out: '' });
  expect(typed.err).not.toContain('s3cret');
  expect(typed.err).toContain('API_TOKEN is set, version 2; it applies when the agent next starts');
  const piped = await tool.run(
    ['secrets', 'set', 'reporter', 'API_TOKEN', '@-', '--restart', '--host', 'api.example.com', '--header', 'authorization', '--scheme', 'Bearer'],
    {
      ...signedIn,
      stdin: 'piped\n',
    },
  );
  expect(piped.err).toContain('svc logs reporter -f');
  expect(seen.secrets).toEqual([
    { key: 'API_TOKEN', value: 's3cret', inject: null },
    { key: 'API_TOKEN', value: 'piped', inject: { host: 'api.example.com', header: 'authorization', scheme: 'Bearer' } },
  ]);
  for (const argv of [['API_TOKEN', 's3cret'], ['API_TOKEN'], ['API_TOKEN', '@-'], ['API_TOKEN', '@-', '--host', 'x.y']]) {
    expect(await svc('secrets', 'set', 'reporter', ...argv)).toMatchObject({ code: EXIT.usage });
  }
  expect(seen.secrets).toHaveLength(2);
});

test('secrets list and delete', async () => {
  expect((await svc('secrets', 'list', 'reporter')).out).toContain('API_TOKEN  2        2026-11-22 04:00:00  environment');
  expect((await svc('secrets', 'delete', 'reporter', 'API_TOKEN')).err).toBe('API_TOKEN is deleted.\n');
  expect((await svc('secrets', 'delete', 'reporter', 'API_TOKEN', '--restart')).err).toContain('svc logs reporter -f');
  expect(seen.secrets.at(-1)).toMatchObject({ key: 'API_TOKEN', restart: true });
  expect((await svc('secrets', 'list', 'reporter')).err).toContain('Set it with: svc secrets set reporter API_TOKEN');
});

test('tokens create prints the token alone; list and revoke know it by its number', async () => {
  const listed = await svc('tokens', 'list', 'reporter');
  expect(listed.out).toMatch(/17 +nightly +weekly +2026-11-22 04:00 +never/);
  const made = await svc('tokens', 'create', 'reporter', '--label', 'nightly', '--skill', 'weekly', '--days', '7');
  expect(made).toMatchObject({ code: EXIT.ok, out: 'svc_once\n', err: expect.stringContaining('svc tokens revoke reporter 17') });
  expect(JSON.parse((await svc('tokens', 'create', 'reporter', '--label', 'x', '--json')).out)).toMatchObject({ token_id: 17, token: 'svc_once' });
  expect((await svc('tokens', 'revoke', 'reporter', '17')).err).toContain('Token 17 of reporter is revoked.');
  expect(seen.tokens).toEqual([
    { label: 'nightly', scopes: ['weekly'], expires_in_days: 7 },
    { label: 'x', scopes: null, expires_in_days: 90 },
    { name: 'reporter', token_id: 17 },
  ]);
  expect((await svc('tokens', 'list', 'reporter')).err).toContain('svc tokens create reporter --label PROGRAM');
  for (const argv of [
    ['create', 'reporter', '--label', 'x', '--days', 'soon'],
    ['revoke', 'reporter', 'nightly'],
    ['create', 'reporter'],
  ])
    expect(await svc('tokens', ...argv), argv.join(' ')).toMatchObject({ code: EXIT.usage });
  expect(seen.tokens).toHaveLength(3);
});

test('links are made with their place and shown once, listed with it, and revoked', async () => {
  expect((await svc('links', 'list', 'reporter')).out).toMatch(/17 +builder +address +all +2026-11-22 04:00 +never/);
  const made = await svc('links', 'create', 'reporter', '--skill', 'weekly', '--days', '7');
  expect(made.code).toBe(EXIT.ok);
  expect(made.out).toMatch(/^Token +svc_once\nOpenAPI +http:\/\/x\/openapi.json\nInvoke +http:\/\/x\/invoke\nMCP +http:\/\/x\/mcp\nTry +curl/);
  expect(made.err).toMatch(/Keep it\.[^]*svc links revoke reporter 17/);
  expect(JSON.parse((await svc('links', 'create', 'reporter', '--header', '--label', 'x', '--json')).out)).toMatchObject({ link_id: 17, token: 'svc_once' });
  expect((await svc('links', 'revoke', 'reporter', '17')).err).toContain('Link 17 of reporter is revoked.');
  expect(seen.tokens).toEqual([
    { label: 'integration link', token_placement: 'url_query', scopes: ['weekly'], expires_in_days: 7 },
    { label: 'x', token_placement: 'header', scopes: null },
    { name: 'reporter', link_id: 17 },
  ]);
  expect((await svc('links', 'list', 'reporter')).err).toContain('svc links create reporter');
  for (const argv of [
    ['create', 'reporter', '--days', '366'],
    ['revoke', 'reporter', 'builder'],
  ])
    expect(await svc('links', ...argv), argv.join(' ')).toMatchObject({ code: EXIT.usage });
  expect(seen.tokens).toHaveLength(3);
});

test('setup shows what an agent needs, and exits 1 while something is missing', async () => {
  const ran = await svc('setup', 'reporter');
  expect(ran.code).toBe(EXIT.failure);
  expect(ran.out).toMatch(/region +string +yes +missing +Region/);
  expect(ran.err).toContain('Missing: region, api_key. Set it with: svc setup reporter region=…');
});

test('setup sets values from the command line, of secrets only what is in files', async () => {
  expect((await tool.run(['setup', 'reporter', 'region=eu', 'api_key=@-', 'limit=7', '--unset', 'limit'], { ...signedIn, stdin: 'k\n' })).code).toBe(EXIT.ok);
  expect(seen.setup).toEqual([{ region: 'eu', api_key: 'k', limit: null }]);
  expect((await svc('setup', 'reporter', 'api_key=k')).err).toContain('does not belong on the command line');
  expect((await svc('setup', 'reporter', 'limit=many')).err).toContain('limit: type a number');
  expect((await svc('setup', 'reporter', 'regin=eu')).err).toContain('has no field "regin". It has: region, api_key, limit');
});

test('setup asks for what is missing at a terminal', async () => {
  const ran = await tool.run(['setup', 'reporter'], typing('', 'eu', 's3cret'));
  expect(ran.code).toBe(EXIT.ok);
  expect(ran.err).not.toContain('s3cret');
  expect(seen.setup).toEqual([{ region: 'eu', api_key: 's3cret' }]);
});

test('schedules list shows what failed and why', async () => {
  const ran = await svc('schedules', 'list');
  expect(ran.out).toContain(`${SCHEDULE}  Weekly  0 9 * * mon Europe/Berlin  paused      failed 2026-11-22 04:00`);
  expect(ran.err).toContain('Weekly failed 3 times in a row (agent_not_live): deploy it first');
  expect(ran.err).toContain('svc schedules resume "Weekly"');
});

test('schedules create reads arguments as call does', async () => {
  const ran = await svc('schedules', 'create', '0 9 * * mon', 'reporter', 'weekly', 'team=core', '--zone', 'Europe/Berlin', '--title', 'Mondays');
  expect(ran.err).toContain('28 Mar 2027: the clock skips 02:30; runs once at 03:00.');
  expect(ran).toMatchObject({ code: EXIT.ok, out: `${SCHEDULE}\n` });
  expect(ran.err).toContain('Made "Mondays" (0 9 * * mon, Europe/Berlin); next, in UTC: 2026-11-22 04:00');
  await svc('schedules', 'create', '0 9 * * mon', '--prompt', 'hello');
  expect(seen.schedules).toMatchObject([
    { cron: '0 9 * * mon', time_zone: 'Europe/Berlin', target: { kind: 'skill', agent: 'reporter', skill: 'weekly', args: { team: 'core' } } },
    { target: { kind: 'prompt', prompt: 'hello' }, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone },
  ]);
  expect(await svc('schedules', 'create', 'often', 'reporter', 'weekly')).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('cron: ') });
  expect(await svc('schedules', 'create', '0 9 * * mon')).toMatchObject({ code: EXIT.usage });
});

test('schedules preview shows times on the clock of the zone, and what the clock skips', async () => {
  const ran = await svc('schedules', 'preview', '30 2 * * *', '--zone', 'Europe/Berlin', '--skipped-times', 'run_after', '--limit', '2');
  expect(ran.code).toBe(EXIT.ok);
  expect(ran.out).toContain('2026-11-22 05:00  2026-11-22 04:00');
  expect(ran.out).toContain('2027-03-28 03:00  2027-03-28 01:00');
  expect(ran.err).toContain('28 Mar 2027: the clock skips 02:30; runs once at 03:00.');
  expect(seen.schedules).toMatchObject([{ cron: '30 2 * * *', time_zone: 'Europe/Berlin', skipped_times: 'run_after', repeated_times: 'once', count: 2 }]);
  const wrong = await svc('schedules', 'preview', '0 9 * * mon#6');
  expect(wrong).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('day of week "mon#6": use 0 to 7') });
});

test('schedules update changes what is named, and says what becomes of times that the clock skips', async () => {
  const ran = await svc('schedules', 'update', 'Weekly', '--cron', '0 9 LW * *', '--repeated-times', 'twice');
  expect(ran).toMatchObject({ code: EXIT.ok, err: expect.stringContaining('the clock skips 02:30') });
  expect(seen.schedules).toEqual([{ schedule_id: SCHEDULE, cron: '0 9 LW * *', repeated_times: 'twice' }]);
  expect(await svc('schedules', 'update', 'Weekly')).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('--cron') });
  expect(await svc('schedules', 'update', 'Weekly', '--skipped-times', 'never')).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('run_after') });
});

test('a schedule is run, paused, resumed and deleted by id or title', async () => {
  expect((await svc('schedules', 'run', SCHEDULE)).err).toContain('svc runs');
  expect((await svc('schedules', 'pause', 'Weekly')).code).toBe(EXIT.ok);
  expect((await svc('schedules', 'resume', 'Weekly')).err).toContain('next, in UTC: 2026-11-22 04:00');
  expect((await svc('schedules', 'delete', 'Weekly')).code).toBe(EXIT.ok);
  expect(seen.schedules).toEqual([{ schedule_id: SCHEDULE, paused: true }, { schedule_id: SCHEDULE, paused: false }, { schedule_id: SCHEDULE }]);
  expect((await svc('schedules', 'delete', 'Nobody')).err).toContain('svc schedules list');
  listed = [schedule, schedule];
  expect((await svc('schedules', 'delete', 'Weekly')).err).toContain('2 schedules are called');
});
