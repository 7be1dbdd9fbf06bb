// The small installation that a release's fixture is made of: the real parts under their supervisor, agents
// as plain processes, and three people.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, createClient } from '#contract/client.ts';
import type { Contract } from '#contract/index.ts';
import { keepHost } from '../chaos/world.ts';
import { outsideWorld, type Outside } from '../chaos/outside.ts';
import { tokenAt } from '../chaos/signed-in.ts';
import { collector } from './collector.ts';
import { type Installation, installation, ok } from '../e2e/installation.ts';
import { realProvider, type TestProvider } from '../support/identity-providers.ts';

export const PEOPLE = ['ada', 'ben', 'operator'] as const;
export type PersonName = (typeof PEOPLE)[number];

export const ORGANIZATION = 'harbours';
/** Of the forge that tells of pushes. */
export const WEBHOOK_SECRET = 'of the forge of a fixture';

export interface Person {
  name: PersonName;
  userId: string;
  token: string;
  api: Client<Contract>;
  /** Routes that are ours beside the specification. */
}

export interface Made {
  i: Installation;
  outside: Outside;
  /** An organization's own identity provider. */
  provider: TestProvider;
  people: Record<PersonName, Person>;
  say(text: string): void;
  /** Stops everything but keeps the state folder, for who packs it. */
  rest(): Promise<void>;
  destroy(): Promise<void>;
}

export async function startInstallation(say: (text: string) => void): Promise<Made> {
  const outside = await outsideWorld();
  const traces = await collector();
  const i = await installation({
    ...outside.env,
    SVC_SCM_WEBHOOK_SECRET: WEBHOOK_SECRET,
    SVC_TRACES_ENDPOINT: traces.url,
    SVC_PARTS: 'postgres,temporal,migrate,namespace,worker,api,imports',
  });
  outside.authority.lookAt = i.port;
  const provider = await realProvider([`${i.baseUrl}/v1/auth/sso/callback/${ORGANIZATION}`]);
  i.env.SVC_SSO_LOCAL_HOSTS = provider.host;
  const host = keepHost(i);
  const destroy = async (): Promise<void> => {
    await host.stop();
    await i.destroy();
    await Promise.all([outside.close(), provider.close(), traces.close()]);
  };
  try {
    ok(await i.stack('up'));
    say(`installation at ${i.stateDir}`);
    const [ada, ben, operator] = [await personOf(i, 'ada'), await personOf(i, 'ben'), await personOf(i, 'operator')];
    return { i, outside, provider, people: { ada, ben, operator }, say, rest: () => host.stop(), destroy };
  } catch (error) {
    await destroy();
    throw error;
  }
}

async function personOf(i: Installation, name: PersonName): Promise<Person> {
  const home = join(i.home, '..', name);
  await mkdir(home, { recursive: true, mode: 0o700 });
  ok(await i.svcAs(home, 'login', '--local', `${name}@svc.local`));
  return personWith(i.baseUrl, name, await tokenAt(i, home));
}

export async function personWith(baseUrl: string, name: PersonName, token: string): Promise<Person> {
  const as = { baseUrl, token };
  const api = createClient(as);
  const { user_id: userId } = await api.auth.me();
  return { name, userId, token, api };
}
