// All scenes over the whole API, played by people who have nothing yet, with an agent that answers.
import { createClient } from '#contract/client.ts';
import { expect, test } from 'vitest';
import { createWorld } from '#test/api/world.ts';
import { serveGreeter } from '#test/support/greeter.ts';
import { type Cast, play } from './scene.ts';
import { SCENES } from './scenes.ts';

test('each scene is made once; played again they say that it was there', async () => {
  const world = await createWorld({ llmLocalHosts: ['localhost:11434'] });
  try {
    const as = (who: 'ben' | 'operator') => createClient({ baseUrl: world.url, token: world.tokens[who] });
    const owner = as('ben');
    const { agent } = await serveGreeter(world.ctx, (await owner.auth.me()).user_id);
    await owner.agents.setVisibility({ params: { name: agent.name }, body: { visibility: 'public' } });
    const cast: Cast = { ada: owner, ben: as('operator'), operator: as('operator'), answers: { agent: agent.name, skill: 'greet', args: { name: 'Ada' } } };
    const lines: string[] = [];
    await play(SCENES, cast, (line) => lines.push(line));
    const expected = (word: string): string[] => SCENES.map(({ what, needs }) => `  ${(needs === 'asks' ? 'left out' : word).padEnd(10)} ${what}`);
    expect(lines).toEqual(expected('made'));
    await play(SCENES, cast, (line) => lines.push(line));
    expect(lines.slice(SCENES.length)).toEqual(expected('was there'));
  } finally {
    await world.close();
  }
});
