// The official client of each protocol at the address of a deployed agent, as a person who is signed in.
import { randomUUID } from 'node:crypto';
import { HttpAgent } from '@ag-ui/client';
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { localFetch } from '../support/local-fetch.ts';

export interface Address {
  /** `http://NAME.localhost:…` */
  url: string;
  token: string;
}
type Args = Record<string, unknown>;

const authorizationOf = ({ token }: Address): { authorization: string } => ({ authorization: `Bearer ${token}` });

/** What the tool answered. */
export async function byMcp(at: Address, name: string, args: Args): Promise<unknown> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', at.url), { fetch: localFetch, requestInit: { headers: authorizationOf(at) } }));
  try {
    return (await client.callTool({ name, arguments: args })).structuredContent;
  } finally {
    await client.close();
  }
}

/** The task, once it has ended. */
export async function byA2a(at: Address, skill: string, args: Args): Promise<unknown> {
  const fetchImpl: typeof fetch = (input, init) =>
    localFetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...authorizationOf(at) } });
  const transports = [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })];
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports, cardResolver: new DefaultAgentCardResolver({ fetchImpl }) });
  const client = await new ClientFactory(options).createFromUrl(at.url);
  return await client.sendMessage({
    tenant: '',
    metadata: {},
    configuration: undefined,
    message: {
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: 1,
      parts: [{ metadata: {}, filename: '', mediaType: '', content: { $case: 'data', value: args } }],
      metadata: { skill },
      extensions: [],
      referenceTaskIds: [],
    },
  });
}

/** The result of the run. */
export async function byAgUi(at: Address, skill: string, args: Args): Promise<unknown> {
  const agent = new HttpAgent({ url: `${at.url}/ag-ui`, headers: authorizationOf(at), fetch: localFetch });
  return (await agent.runAgent({ forwardedProps: { skill, args } })).result;
}
