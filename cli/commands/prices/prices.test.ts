// Prices and charges from the terminal, on the whole API with its database.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { liveAgent } from '#test/support/runs.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { createWorld, type World } from '#test/api/world.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { makeTool, type Tool } from '../../test/tool.ts';

let world: World;
let tool: Tool;
let name: string;
let ada: string;
beforeAll(async () => {
  world = await createWorld();
  tool = await makeTool(world.url, '/nowhere');
  const token = await world.ctx.db('platform_tokens').where({ token_hash: hashSecret(world.tokens.ada) }).first('user_id'); // prettier-ignore
  ada = token?.user_id ?? '';
  ({ name } = await liveAgent(world.ctx, ada, { visibility: 'public', card: { skills: [{ id: 'read', name: 'read', input_schema: {}, output_schema: {} }] } }));
});
afterAll(async () => {
  await tool.remove();
  await world.close();
});
const svc = (line: string, who: 'ada' | 'ben' = 'ada') => tool.run(line.split(' '), { env: { SVC_TOKEN: world.tokens[who] } });

test('a price is set in dollars, listed with its history, and ended', async () => {
  expect((await svc(`prices list ${name}`)).err).toContain(`Calls of ${name} cost nothing.`);
  const set = await svc(`prices set ${name} read --call 0.02 --free 5`);
  expect(set).toMatchObject({ code: EXIT.ok, out: `${name}.read costs $0.02 a call from now on. The first 5 calls of an account are free.\n` });
  expect(await svc(`prices set ${name} read --second 0.001`)).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('--max: say the most') });
  expect((await svc(`prices set ${name} read --call 0.0000001`)).err).toContain('--call must be dollars from 0 to 10000');
  expect((await svc(`prices set ${name} nothing --call 1`)).err).toContain(`No deployment of ${name} has a skill nothing: it has read`);
  await svc(`prices set ${name} read --second 0.001 --max 0.5`);
  expect((await svc(`prices list ${name}`, 'ben')).out).toMatch(/^read +2 +\$0\.001 a second, at most \$0\.50 +- +.* to now$/m);
  expect(JSON.parse((await svc(`prices ${name} --history --json`)).out)).toHaveLength(2);
  expect((await svc(`prices end ${name} read`, 'ben')).code).not.toBe(EXIT.ok);
  expect((await svc(`prices end ${name} read`)).out).toBe(`${name}.read costs nothing from now on.\n`);
  expect((await svc(`prices end ${name} read`)).err).toContain(`No price is set for read of ${name}`);
});

test('charges are listed with what they cost', async () => {
  expect((await svc('charges')).err).toContain('You have paid for no calls.');
  const agent = await world.ctx.db('agents').where({ name }).first('agent_id');
  const row = {
    agent_id: agent?.agent_id ?? '',
    skill: 'read',
    price_id: newId('prc'),
    creator_id: newId('usr'),
    payer_id: ada,
    free: false,
    held_micros: 500_000,
  };
  const at = new Date('2026-11-26T10:00:00Z');
  const settled = { state: 'settled' as const, receipt_id: 'rcp_1', amount_micros: 24_000, creator_micros: 21_600, fee_micros: 2_400, units: '{"calls":1,"seconds":4,"tokens":0,"artifacts":0}', ended_at: at }; // prettier-ignore
  await world.ctx.db('charges').insert([
    { ...row, ...settled, charge_id: newId('chg'), run_id: newId('run'), started_at: at },
    { ...row, state: 'held', charge_id: newId('chg'), run_id: newId('run'), started_at: new Date('2026-11-26T11:00:00Z') },
  ]);
  const { out } = await svc(`charges --agent ${name}`);
  expect(out).toMatch(/^2026-11-26 11:00:00 +\S+\.read +held +up to \$0\.50 +-$/m);
  expect(out).toMatch(/^2026-11-26 10:00:00 +\S+\.read +settled +\$0\.024 +rcp_1$/m);
});
