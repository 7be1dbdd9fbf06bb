// What the tests of several adapters do and read in the same way.
import { expect } from 'vitest';
import type { Provider } from '../../../../test/support/provider/provider.ts';
import type { Outcome } from './driver.ts';
import type { AdapterProject } from './project.ts';

export const textsIn = ({ events }: Outcome): unknown[] => events.filter(({ kind }) => kind === 'text_delta').map(({ payload }) => payload['text']);

/** Of each `tool` event the name and the phase. */
export const toolsIn = ({ events }: Outcome): unknown[][] =>
  events.filter(({ kind }) => kind === 'tool').map(({ payload }) => [payload['name'], payload['phase']]);

/** The caller goes away while the model speaks: the run is cancelled, and the request to the model ends. */
export async function expectLeaving(project: AdapterProject, provider: Provider, args: object): Promise<void> {
  provider.left = 0;
  provider.turns = [{ says: ['one ', 'two'] }];
  let leave = (): void => undefined;
  const gone = Promise.withResolvers<void>();
  provider.pace = () => (leave(), gone.promise);
  const ran = await project.call({ skill: 'run', args }, provider, (leaving) => (leave = leaving));
  expect(ran.error).toMatch(/^CancelledByCaller/);
  await expect.poll(() => provider.left).toBe(1);
  gone.resolve();
  provider.pace = async () => undefined;
}
