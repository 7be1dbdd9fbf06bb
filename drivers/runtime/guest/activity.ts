// Tells the host of requests that take long, so that it never puts the machine to sleep under them. Short ones cost nothing.
import type { Server } from 'node:http';
import type { Events } from './events.ts';

export function watchActivity(server: Server, events: Events, afterMs = 1_000): void {
  let inFlight = 0;
  let reported = false;
  let timer: NodeJS.Timeout | undefined;
  const report = (n: number): void => {
    reported = n > 0;
    events.keep({ t: 'busy', n });
  };
  server.on('request', (_request, response) => {
    inFlight += 1;
    if (inFlight === 1) timer = setTimeout(() => report(inFlight), afterMs).unref();
    response.once('close', () => {
      inFlight -= 1;
      if (inFlight > 0) return;
      clearTimeout(timer);
      if (reported) report(0);
    });
  });
}
