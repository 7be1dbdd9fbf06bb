import { requestTo } from '#drivers/agent-http/address.ts';
import type { TestHost } from './support.ts';

/** The events of the skill `ticks` of an agent that is suspended, and woken, after its second tick. */
export async function ticksThroughSleep(host: TestHost, id: string, input: { count: number; ms?: number }): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const headers = { authorization: 'Bearer the-api-key', 'content-type': 'application/json', accept: 'text/event-stream' };
    const outgoing = requestTo(host.runtime.address(id), { path: '/invoke/ticks', method: 'POST', headers, agent: false }, (incoming) => {
      let text = '';
      let slept = false;
      incoming.on('data', (chunk) => {
        text += String(chunk);
        if (slept || !text.includes('tick 1')) return;
        slept = true;
        host.runtime
          .sleep(id, 'suspended')
          .then(() => host.runtime.wake(id))
          .catch(reject);
      });
      incoming.on('end', () => resolve(text)).on('error', reject);
    });
    outgoing.on('error', reject).end(JSON.stringify(input));
  });
}
