// Language models from the terminal: on the whole API with its database, and a vendor on this machine.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { languageModels } from '#drivers/llm/models.ts';
import { startVendor, type Vendor } from '#drivers/llm/test/vendor.ts';
import { createWorld, type World } from '#test/api/world.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { lines, makeTool, type Tool } from '../../test/tool.ts';

const KEY = 'sk-secret-0123456789abcdefghij';
const OTHER = 'sk-another-9876543210zyxwvut';

let world: World;
let vendor: Vendor;
let llm: ReturnType<typeof languageModels>;
let tool: Tool;
beforeAll(async () => {
  [world, vendor] = await Promise.all([createWorld(), startVendor()]);
  llm = languageModels({ localHosts: [vendor.host, '127.0.0.1:1'], silenceMs: 10_000 });
  Object.assign(world.ctx.drivers, { llm });
  tool = await makeTool(world.url, '/nowhere');
});
afterAll(async () => {
  await tool.remove();
  await world.close();
  await llm.close();
  await vendor.close();
});
beforeEach(async () => {
  for (const rows of ['llm_usage', 'llm_spending', 'llm_credentials'] as const) await world.ctx.db(rows).delete();
  Object.assign(vendor, { asked: [], next: [] });
});

type More = Parameters<Tool['run']>[1];

/** No key is in what is said, whatever happens. */
async function svc(argv: string, more: More = {}) {
  const ran = await tool.run(['models', ...argv.split(' ')], { ...more, env: { SVC_TOKEN: world.tokens.ada, ...more.env } });
  for (const key of [KEY, OTHER]) expect(ran.out + ran.err + world.logs.join('\n')).not.toContain(key.slice(0, -4));
  return ran;
}
const typing = (...typed: string[]): More => ({ interactive: true, stdin: lines(...typed) });
const stored = async () => (await world.as('ada').llmCreds.list()).items;
const keys = () => vendor.asked.map(({ headers }) => headers.authorization);
const own = () => `--provider openai_compatible --base-url ${vendor.url} --model m-1`;
const PRICE = '--price-in 1 --price-out 10';

test('without any, list says how to set the first; the set one is listed with what it may cost', async () => {
  expect(await svc('list')).toEqual({ code: EXIT.ok, out: '', err: expect.stringContaining('Set one with: svc models set main --provider openai') });
  expect(JSON.parse((await svc('list --json')).out)).toEqual({ items: [] });
  const set = await svc('set main --provider openai --budget 1.005 --no-probe', typing(KEY));
  expect(set).toMatchObject({ code: EXIT.ok, out: '' });
  expect(set.err).toContain("OpenAI's key (is not shown): ");
  expect(set.err).toContain('main is stored: openai, gpt-5.4-mini; key …ghij; at most $1.005 a month; the default.');
  expect(set.err).toContain('It was not checked. Check it with: svc models set main');
  expect(await stored()).toMatchObject([{ name: 'main', default: true, key_hint: 'ghij', monthly_budget_micros: 1_005_000, check: { state: 'unchecked' } }]);
  const listed = await svc('list');
  expect(listed.out).toMatch(/^NAME +PROVIDER +MODEL +DEFAULT +KEY +SPENT THIS MONTH +BUDGET +CHECK/);
  expect(listed.out).toMatch(/^main +openai +gpt-5\.4-mini +yes +…ghij +\$0\.00 +\$1\.005 +not checked$/m);
  expect(JSON.parse((await svc('list --json')).out)).toEqual(await world.as('ada').llmCreds.list());
  expect((await svc('list', { env: { SVC_TOKEN: world.tokens.ben } })).out).toBe('');
});

test('a key comes from standard input or the terminal; the model is asked with it, and what works is said', async () => {
  const piped = await svc(`set main @- ${own()} ${PRICE} --budget 5`, { stdin: `${KEY}\n` });
  expect(piped, piped.err).toMatchObject({ code: EXIT.ok, out: '' });
  expect(piped.err).toContain('It works. Try it with: svc chat');
  const typed = await svc(`set second ${own()} --ask-key --json`, typing(OTHER));
  expect(typed.code, typed.err).toBe(EXIT.ok);
  expect(JSON.parse(typed.out)).toMatchObject({ name: 'second', default: false, has_key: true, priced: false, check: { state: 'works' } });
  expect(typed.err).toContain("second's key (is not shown): ");
  expect(typed.err).toContain('svc models set second --default');
  expect(typed.err).toContain('Its price is unknown. Set it with: svc models set second --price-in');
  expect(keys()).toEqual([`Bearer ${KEY}`, `Bearer ${OTHER}`]);
  const { out } = await svc('list');
  // 60 tokens at a dollar, 40 from the cache at the same, 20 at ten dollars.
  expect(out).toMatch(/^main .* yes +…ghij +\$0\.0003 +\$5\.00 +works \d{4}-\d\d-\d\d \d\d:\d\d$/m);
  expect(out).toMatch(/^second .* …wvut +no price +none +works/m);
  expect((await svc('set second --default')).err).toContain('the default');
  expect((await stored()).filter((one) => one.default).map(({ name }) => name)).toEqual(['second']);
});

test("of a provider whose address is the catalog's no other one is suggested", async () => {
  await svc('set main --provider openai --no-probe', typing(KEY));
  await world.ctx.db('llm_credentials').update({ check_state: 'model_unreachable', check_message: 'Not there.', checked_at: new Date() });
  const { err } = await svc('list');
  expect(err).toMatch(/^main: Not there \(model_unreachable\)\. See that https:\/\/api\.openai\.com\/v1 answers, then check again with: svc models set main$/m);
});

test('a key is not asked for where none is needed', async () => {
  const ran = await svc(`set local --provider ollama --base-url ${vendor.url}/ --model m-1`, typing(KEY));
  expect(ran.code, ran.err).toBe(EXIT.ok);
  expect(ran.err).not.toContain('is not shown');
  expect(keys()).toEqual([undefined]);
  expect(await stored()).toMatchObject([{ name: 'local', base_url: vendor.url, has_key: false }]);
  expect(ran.err).not.toContain('What it costs');
  vendor.next = [{ status: 404, body: '{"error":{"message":"model \\"m-2\\" not found, try pulling it first","type":"api_error"}}' }];
  expect((await svc('set local --model m-2')).err).toContain('Fetch it with: ollama pull m-2, or choose another model with: svc models set local --model ID');
});

test('what is there keeps its key, budget, price and model where they are not named, at the same address alone', async () => {
  await svc(`set main @- ${own()} ${PRICE} --budget 5`, { stdin: KEY });
  const again = await svc(`set main ${own()}`, typing(OTHER));
  expect(again.code, again.err).toBe(EXIT.ok);
  expect(again.err).toContain('The key that is stored stays. Give another one with: svc models set main --ask-key');
  const [before] = await stored();
  expect(before).toMatchObject({ monthly_budget_micros: 5_000_000, price: { input_micros_per_mtok: 1_000_000, output_micros_per_mtok: 10_000_000 } });
  // Nothing but the name.
  expect((await svc('set main --budget 7.5 --no-probe')).code).toBe(EXIT.ok);
  expect(await stored()).toEqual([{ ...before, monthly_budget_micros: 7_500_000, check: expect.anything(), updated_at: expect.anything() }]);
  expect((await svc('set main --ask-key', typing(OTHER))).err).not.toContain('stays');
  expect(keys()).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`, `Bearer ${OTHER}`]);
  expect((await svc('set main --agent-run-budget 0.20 --no-probe')).err).toContain('agents of others may use it, at most $0.20 a run');
  expect(await stored()).toMatchObject([{ monthly_budget_micros: 7_500_000, agent_run_budget_micros: 200_000 }]);
  expect((await svc('set main --no-agent-run-budget --no-probe')).code).toBe(EXIT.ok);
  expect(await stored()).toMatchObject([{ agent_run_budget_micros: null }]);
  // Another model's price is another: a budget would not hold.
  expect(await svc('set main --model m-2')).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('--price-in and --price-out') });
  expect(await svc('set main --model m-2 --no-budget --no-probe')).toMatchObject({ code: EXIT.ok });
  expect(await stored()).toMatchObject([{ model: 'm-2', price: null, monthly_budget_micros: null, has_key: true }]);
  const elsewhere = await svc(`set main --base-url ${vendor.url.replace('v1', 'v2')}`);
  expect(elsewhere.err).toContain(`The stored key was for ${vendor.url} and was deleted. If the new address needs a key: svc models set main --ask-key`);
  expect(keys().at(-1)).toBeUndefined();
  expect(vendor.asked.at(-1)).toMatchObject({ path: '/v2/chat/completions', body: { model: 'm-2' } });
});

test('at a provider with a key, that is asked for once, and again for another provider', async () => {
  expect(await svc('set main --provider openai --no-probe', { stdin: KEY })).toMatchObject({
    code: EXIT.usage,
    err: "OpenAI's key cannot be asked for here: give it as @file or @- (standard input).\n",
  });
  expect(await stored()).toEqual([]);
  await svc('set main @- --provider openai --no-probe --budget 3', { stdin: KEY });
  expect(await svc('set main --model gpt-5.5 --no-probe')).toMatchObject({ code: EXIT.ok, err: expect.stringContaining('The key that is stored stays') });
  expect((await svc('set main --provider anthropic --no-probe')).err).toContain("Anthropic's key");
  expect((await svc('set main @- --provider anthropic --no-probe', { stdin: OTHER })).code).toBe(EXIT.ok);
  expect(await stored()).toMatchObject([{ provider: 'anthropic', model: 'claude-sonnet-5-5', key_hint: 'wvut', monthly_budget_micros: 3_000_000 }]);
});

test('what does not work is stored all the same: it says so, exits 1, and names the command that mends it', async () => {
  const failures: [Vendor['next'], string, string, RegExp][] = [
    [
      [{ status: 401, body: `{"error":{"message":"Incorrect key ${KEY}"}}` }],
      '',
      'model_key_refused',
      /refused the key.*\(model_key_refused\)\. Give another key with: svc models set main --ask-key$/m,
    ],
    [[{ status: 404, body: '{}' }], '', 'model_not_found', /Choose another model with: svc models set main --model ID/],
    [
      [{ status: 400, body: '{"error":{"message":"no \\u001b[2J such thing"}}' }],
      '',
      'model_refused_request',
      /no .*such thing.*svc models set main --model ID$/m,
    ],
    [[{ status: 429, body: '{}', headers: { 'retry-after': '60' } }], '', 'model_rate_limited', /Check again later with: svc models set main$/m],
    [[], '--base-url http://127.0.0.1:1/v1', 'model_unreachable', /See that http:\/\/127\.0\.0\.1:1\/v1 answers.*svc models set main \(.*--ask-key\)$/m],
    [[], '--budget 0.000001', 'llm_budget_exceeded', /Raise the budget with: svc models set main --budget DOLLARS$/m],
  ];
  for (const [next, more, code, remedy] of failures) {
    await world.ctx.db('llm_credentials').delete();
    vendor.next = next;
    const ran = await svc(`set main @- ${own()} ${PRICE} ${more}`.trimEnd(), { stdin: KEY });
    expect(ran, code).toMatchObject({ code: EXIT.failure, out: '' });
    expect(ran.err).toContain('main is stored');
    expect(ran.err).toContain('It does not work yet');
    expect(ran.err).toMatch(remedy);
    expect(ran.err).not.toMatch(/POST|\/me\/|\u001b/);
    expect(await stored()).toMatchObject([{ name: 'main', has_key: true, check: { state: 'failed', code } }]);
    const listed = await svc('list');
    expect(listed).toMatchObject({ code: EXIT.ok, out: expect.stringContaining(`failed: ${code}`) });
    expect(listed.err).toMatch(remedy);
  }
  const json = await svc('set main --budget 5 --base-url http://127.0.0.1:1/v1 --json');
  expect([json.code, JSON.parse(json.out)]).toMatchObject([EXIT.failure, { name: 'main', check: { state: 'failed' } }]);
});

test('mistakes on the command line are reported before the key is asked for, and nothing is stored', async () => {
  const wrong: [string, string][] = [
    ['set main', 'Say whose model it is, with --provider. One of anthropic, openai'],
    ['set main --provider opnai', 'There is no provider "opnai". One of anthropic, openai'],
    ['set Main --provider openai', 'NAME: use 1 to 64 lower-case letters'],
    [`set main ${KEY}`, 'does not belong on the command line'],
    ['set main --provider openai --budget 5,00', '--budget must be dollars from 0 to 1000000'],
    ['set main --provider openai --budget 5 --no-budget', 'Choose one of --budget and --no-budget.'],
    ['set main --provider openai --price-in 1', '--price-in and --price-out go together'],
    ['set main --provider openai --price-in 1 --price-out 1000.1', '--price-out must be dollars from 0 to 1000'],
    ['set main --provider groq', 'Name a model with --model ID'],
    ['set main --provider openai_compatible --model m', 'Say where the endpoint is, with its version: --base-url https://'],
    ['set main --provider openai --model gpt-9 --budget 5', 'The price of gpt-9 is unknown, so a budget cannot be enforced'],
    ['set main --provider openai --model gpt\u0007', '--model: is not a model id'],
  ];
  for (const [argv, message] of wrong) {
    const ran = await tool.run(['models', ...argv.split(' ')], { ...typing(), env: { SVC_TOKEN: world.tokens.ada } });
    expect(ran, argv).toMatchObject({ code: EXIT.usage, out: '', err: expect.stringContaining(message) });
    expect(ran.err).not.toMatch(/is not shown|secret-0123/);
  }
  expect((await svc('set main @- --provider openai', { stdin: 'two words' })).err).toContain('the key: is not a key');
  expect((await svc('set main @- --provider openai', { stdin: '\n' })).err).toContain('is empty');
  // What only the control plane knows.
  expect(await svc('set main --provider ollama --model m')).toMatchObject({ code: EXIT.failure, err: expect.stringContaining('SVC_LLM_LOCAL_HOSTS') });
  const fixed = await svc(`set main @- --provider openai --base-url ${vendor.url}`, { stdin: KEY });
  expect(fixed).toMatchObject({ code: EXIT.failure, err: expect.stringContaining('the address (--base-url): OpenAI is at https://api.openai.com/v1') });
  expect([await stored(), vendor.asked]).toEqual([[], []]);
});

test('delete says which one is the default now, and what to do when there is no such one', async () => {
  for (const name of ['main', 'spare']) await svc(`set ${name} ${own()} --no-probe`);
  expect(await svc('delete nobody')).toMatchObject({
    code: EXIT.failure,
    err: 'There is no model credential "nobody". List them with: svc models list\n',
  });
  expect(await svc('delete main')).toEqual({ code: EXIT.ok, out: '', err: 'main is deleted; the default is spare\n' });
  expect((await svc('delete spare')).err).toContain('no language model is left. Set one with: svc models set');
  expect(await stored()).toEqual([]);
});

test('catalog: providers with what they need, models with prices and their day', async () => {
  const { code, out, err } = await svc('catalog');
  expect(code).toBe(EXIT.ok);
  expect(out).toMatch(/^anthropic +yes +claude-sonnet-5-5 +https:\/\/api\.anthropic\.com\/v1 +Anthropic$/m);
  expect(out).toMatch(/^openai_compatible +\(--model\) +\(--base-url\)/m);
  expect(out).toMatch(/^claude-opus-5-5 +anthropic +\$4\.00 +\$0\.20 +\$20\.00 +2026-10-24$/m);
  expect(out).toMatch(/^ {2}above 100000 tokens +anthropic +\$0\.50 +\$0\.05 +\$2\.50/m);
  expect(out).toMatch(/^deepseek-flash +deepseek +unknown +2026-10-31$/m);
  expect(err).toContain('dollars for a million tokens');
  const json = await svc('catalog --json');
  expect(JSON.parse(json.out)).toEqual(await world.as('ada').llmCreds.catalog());
});

test('usage: the whole first, then by model, by credential, by agent, by day', async () => {
  expect(await svc('usage')).toMatchObject({ code: EXIT.ok, out: '', err: expect.stringContaining('No language model was used this month') });
  await svc(`set main @- ${own()} ${PRICE}`, { stdin: KEY });
  await svc('set main');
  vendor.next = [{ text: ['ok'], count: false }];
  await svc(`set free ${own().replace('m-1', 'm-2')}`);
  const { out, err } = await svc('usage');
  const [head, whole, ...parts] = out.split('\n');
  expect(head).toMatch(/^ +CALLS +TOKENS IN +FROM CACHE +TOKENS OUT +COST$/);
  expect(whole).toMatch(/^\d{4}-\d\d-01 to \d{4}-\d\d-\d\d +3 +2\d\d +80 +4\d +\$0\.0006 and 1 without a price$/);
  expect(parts.join('\n')).toMatch(
    /^\nBY MODEL\nm-1 +2 +200 +80 +40 +\$0\.0006\nm-2 +1 +\d+ +0 +\d+ +no price\n\nBY CREDENTIAL\nmain +2 .*\nfree +1 .*\n\nBY AGENT\nnone +3 .*\n\nBY DAY\n\d{4}-\d\d-\d\d +3 /,
  );
  expect(err).toContain('Set the price of a model with: svc models set NAME --price-in');
  expect(err).toContain('Of 1 calls the provider counted no tokens');
  const [model, credential, agent, day] = await Promise.all(
    (['model', 'credential', 'agent', 'day'] as const).map((group_by) => world.as('ada').llmUsage.list({ query: { group_by } })),
  );
  const { from, to, totals } = model ?? {};
  const json = JSON.parse((await svc('usage --json')).out);
  expect(json).toEqual({ from, to, totals, by_model: model?.groups, by_credential: credential?.groups, by_agent: agent?.groups, by_day: day?.groups });
});

test('a shell completes them', async () => {
  const { out } = await tool.run(['completion', 'bash']);
  expect(out).toMatch(/^models\|list set delete catalog usage/m);
  expect(out).toMatch(/^models set\|.*--provider .*--budget/m);
});
