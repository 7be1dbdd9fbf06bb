import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import { addAgent, addUser } from '#test/support/verbs.ts';
import { describeAgent } from './describe.ts';

let db: Knex;
let deploy_id: string;
beforeAll(async () => {
  db = createPool({ connectionString: (await testDatabase()).url });
  const { id } = await addAgent(db, await addUser(db, 'ada'), { live: true });
  deploy_id = (await db('agents').where({ agent_id: id }).first('live_deploy_id'))?.live_deploy_id ?? '';
});
afterAll(() => db.destroy());

const card = { name: 'shop', description: 'Sells.', version: '1.0.0', skills: [{ id: 'buy', name: 'buy', input_schema: {}, output_schema: {} }] };

test.each([
  [{}, undefined],
  [{ frontend: null }, undefined],
  [{ frontend: {} }, '/app'],
  [{ frontend: { mount: '/shop/' } }, '/shop'],
  [{ frontend: { mount: '/' } }, ''],
])('an agent built with %j has its own pages at %j', async (manifest, mount) => {
  await db('deployments')
    .where({ deploy_id })
    .update({ manifest: JSON.stringify(manifest), card: JSON.stringify(card) });
  expect(await describeAgent({ db }, deploy_id)).toMatchObject({ card: { description: 'Sells.', skills: [{ id: 'buy' }] }, mount });
});

test('nothing is said of a deployment that is gone, or whose card does not exist yet', async () => {
  await db('deployments').where({ deploy_id }).update({ card: null });
  expect(await describeAgent({ db }, deploy_id)).toBeUndefined();
  expect(await describeAgent({ db }, 'dep_gone')).toBeUndefined();
});
