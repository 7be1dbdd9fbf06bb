// What arrives of the fifty operations, in a form that can be compared.
import { testAgent } from '#sdk/typescript/testing.ts';
import { agentClassOf, type Heard, planOf } from './agent.ts';
import { type Operation, operations } from './operations.ts';

export interface Sent {
  request?: Heard;
  failed?: string;
}

/** Each called once through a skill of ours. @param heard of the server that the document names; emptied */
export async function callOurs(document: object, heard: Heard[]): Promise<Map<string, Sent>> {
  const agent = testAgent(agentClassOf(planOf(document, { mode: 'each' })));
  // Skills are made at run time: their names and arguments are no types.
  const invoke = agent.invoke.bind(agent) as unknown as (skill: string, args: object) => Promise<unknown>;
  const sent = new Map<string, Sent>();
  for (const { name, args } of operations) {
    const failed = await invoke(name, args).then(
      () => undefined,
      (error: unknown) => `${String(error)} ${JSON.stringify(error)}`,
    );
    const [request] = heard.splice(0);
    sent.set(name, { ...(request && { request }), ...(failed !== undefined && { failed }) });
  }
  return sent;
}

/** Of the headers those that the operation says something about. */
export function shown({ name, headers = {} }: Operation, { request, failed }: Sent = {}): object {
  if (!request) return { failed };
  const boundary = /boundary="?([^";]+)/.exec(request.headers['content-type'] ?? '')?.[1];
  const plain = (value: string): string => (boundary === undefined ? value : value.replaceAll(boundary, 'B'));
  const names = new Set(['content-type', 'cookie', ...Object.keys(headers)]);
  return {
    method: request.method,
    url: request.url.slice(name.length + 1),
    headers: Object.fromEntries([...names].flatMap((key) => (request.headers[key] === undefined ? [] : [[key, plain(String(request.headers[key]))]]))),
    body: boundary === undefined ? request.body.toString('latin1') : plain(request.body.toString()),
  };
}

/** By the specification. */
export function expected({ at, url, headers = {}, body = '' }: Operation): object {
  const isMultipart = headers['content-type']?.startsWith('multipart/');
  return { method: at.split(' ')[0], url, headers, body: isMultipart ? body : Buffer.from(body).toString('latin1') };
}
