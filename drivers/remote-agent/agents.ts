// The port, over the network: A2A and MCP by their official clients.
import { a2aAgent } from './a2a.ts';
import { discover } from './discover.ts';
import { mcpAgent } from './mcp.ts';
import { createNetwork, faultOf, type NetworkOptions } from './network.ts';
import { type RemoteAgents, RemoteFault } from './port.ts';
import { refreshTokens } from './tokens.ts';

export function remoteAgents(options: NetworkOptions = {}): RemoteAgents {
  const network = createNetwork(options);
  return {
    problemOf: (url) => network.problemOf(url),
    async discover(place) {
      const problem = network.problemOf(place.url);
      if (problem !== undefined) throw new RemoteFault('remote_address_refused', `The address ${problem}`);
      try {
        return await discover(network, place);
      } catch (error) {
        throw error instanceof RemoteFault ? error : faultOf(error, new URL(place.url), place.signal);
      }
    },
    open: (card) => (card.protocol === 'mcp' ? mcpAgent(network, card) : a2aAgent(network, card)),
    async refresh(request) {
      const problem = network.problemOf(request.token_url);
      if (problem !== undefined) throw new RemoteFault('remote_address_refused', `The token address ${problem}`);
      try {
        return await refreshTokens(network, request);
      } catch (error) {
        throw error instanceof RemoteFault ? error : faultOf(error, new URL(request.token_url), request.signal);
      }
    },
    close: () => network.close(),
  };
}
