// One call of an agent that the tool serves.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/**
 * On a connection of its own: a kept one could just be closing. Resolves with the result; with the status
 * where that is not 200.
 */
export function ask(url: string, skill: string, args: object = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/invoke/${skill}`, { method: 'POST', agent: false, headers: { 'content-type': 'application/json' } }, (response) => {
      text(response).then((body) => resolve(response.statusCode === 200 ? JSON.parse(body) : response.statusCode), reject);
    });
    sent.on('error', reject).end(JSON.stringify(args));
  });
}
