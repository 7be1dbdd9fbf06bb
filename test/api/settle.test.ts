import { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { createWorld, type World } from './world.ts';

const worlds: World[] = [];
afterAll(() => Promise.all(worlds.map((world) => world.close())));

test.each([false, true])(
  'worlds of one process have the same people, and nothing that happens in one of them happens in another (serving: %s)',
  async (serving) => {
    const [one, other] = [await createWorld({ serving }), await createWorld({ serving })];
    worlds.push(one, other);
    expect([one.tokens, one.records['name']]).toEqual([other.tokens, other.records['name']]);
    expect(one.calls['auth.exchangeAgentSession']).not.toEqual(other.calls['auth.exchangeAgentSession']);
    const before = await other.ctx.db('agents').count().first();
    await one.as('ada').agents.register({ body: { name: 'only-here' } });
    one.records['name'] = 'changed';
    await one.ctx.drivers.storage.put('only-here', Readable.from([Buffer.from('x')]));
    expect(await other.ctx.db('agents').count().first()).toEqual(before);
    expect(other.records['name']).not.toBe('changed');
    expect(await other.ctx.drivers.storage.exists('only-here')).toBe(false);
    // The key was copied too: what was sealed with it opens.
    const secret = await other.ctx.db('agent_secrets').where({ name: 'TOKEN' }).first('value_sealed');
    expect(Buffer.from(await other.ctx.drivers.vault.open(secret?.value_sealed ?? '', 'a test')).toString()).toBe('x');
    // And the files.
    const report = await fetch(`${other.url}/v1/me/files/${other.records['path']}`, { headers: { authorization: `Bearer ${other.tokens.ada}` } });
    expect(await report.text()).toBe('a report');
  },
);
