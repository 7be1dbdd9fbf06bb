// The boxes' port spoken over the host's unix socket.
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { callHost, type HostCall } from '../sandbox/client.ts';
import { type BoxRuntime, BoxStatus } from './port.ts';

export function hostBoxes({ socketPath }: { socketPath: string }): BoxRuntime {
  // `<state>/run/host.sock`: boxes have their folders beside it.
  const root = join(dirname(dirname(socketPath)), 'box');
  const json = <T>(call: HostCall, shape: z.ZodType<T>): Promise<T> => callHost(socketPath, call, shape);
  const order = async (id: string, verb: string): Promise<void> =>
    void (await json({ method: 'POST', path: `/boxes/${encodeURIComponent(id)}/${verb}` }, z.unknown()));
  return {
    open: (input) => json({ method: 'POST', path: '/boxes', body: { wait: true, ...input } }, BoxStatus),
    list: () => json({ method: 'GET', path: '/boxes' }, z.array(BoxStatus)),
    async seed(id, name, bundle) {
      await json({ method: 'POST', path: `/boxes/${encodeURIComponent(id)}/seed?name=${encodeURIComponent(name)}`, stream: bundle }, z.unknown());
    },
    sleep: (id) => order(id, 'sleep'),
    stop: (id) => order(id, 'stop'),
    remove: (id) => order(id, 'remove'),
    address: (id, service) => ({ unix: join(root, id, `${service}.sock`) }),
  };
}
