// An MCP server with two tools.
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const stock = new Map([
  ['tea', 12],
  ['coffee', 0],
]);

export const server = new McpServer({ name: 'stock', version: '1.0.0' });
server.registerTool(
  'in_stock',
  {
    description: 'Says how much of an item is in stock.',
    inputSchema: z.object({ item: z.string() }),
    outputSchema: z.object({ item: z.string(), count: z.number() }),
  },
  ({ item }) => {
    const count = stock.get(item);
    if (count === undefined) return { content: [{ type: 'text', text: `There is no item ${item}.` }], isError: true };
    return { content: [{ type: 'text', text: `${count}` }], structuredContent: { item, count } };
  },
);
server.registerTool('items', { description: 'Lists the items.', inputSchema: z.object({}) }, () => ({
  content: [{ type: 'text', text: [...stock.keys()].join(', ') }],
}));
