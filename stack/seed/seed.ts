// `npm run seed`: data for development, apart from the demo. Everything is made through the API, once.
import { join } from 'node:path';
import { baseUrl } from '../environment.ts';
import { commandLineTool } from '../demo/tool.ts';
import { type Api, apiAs, tokenOf } from '../person.ts';
import { places, type Settings } from '../settings.ts';
import { type Callable, type Cast, play } from './scene.ts';
import { SCENES } from './scenes.ts';

const PEOPLE = { ada: 'ada@svc.local', ben: 'ben@svc.local', operator: 'operator@svc.local' };
/** Of examples/. */
const ANSWERS: Callable = { agent: 'text-kit', skill: 'compare', args: { before: 'High water at six.', after: 'High water at seven.' } };
const ASKS: Callable = { agent: 'librarian', skill: 'catalogue', args: { subject: 'ferries harbour', wait_seconds: 86_400 } };

/** @param machines deploy the two agents that answer, each into a machine, where they are not live */
export async function seed(settings: Settings, { machines }: { machines: boolean }, print: (line: string) => void): Promise<void> {
  const [ada, ben, operator] = await Promise.all([apiAs(settings, PEOPLE.ada), apiAs(settings, PEOPLE.ben), apiAs(settings, PEOPLE.operator)]);
  const answers = await live(settings, ada, ANSWERS, machines, print);
  const asks = await live(settings, ada, ASKS, machines, print);
  const cast: Cast = { ada, ben, operator, ...(answers && { answers }), ...(asks && { asks }) };
  await play(SCENES, cast, print);
  print(
    `\nSign in at ${baseUrl(settings)} as ${Object.values(PEOPLE).join(', ')}; passwords: ${join(places(settings.stateDir).secrets, 'local-accounts.json')}`,
  );
  print(`Or: svc login --local ${PEOPLE.ada}`);
  if (!answers || !asks) print('What needs an agent that answers was left out; npm run seed without --no-machines deploys two.');
}

async function live(settings: Settings, ada: Api, wanted: Callable, machines: boolean, print: (line: string) => void): Promise<Callable | undefined> {
  const isLive = (await ada.agents.mine()).some(({ name, state }) => name === wanted.agent && state === 'live');
  if (isLive) return wanted;
  if (!machines) return undefined;
  print(`Deploying examples/${wanted.agent} into a machine`);
  await commandLineTool(settings, await tokenOf(settings, PEOPLE.ada)).quietly(
    'deploy',
    join(settings.repository, 'examples', wanted.agent),
    '--public',
    '--wait',
  );
  return wanted;
}
