// As an editor starts the server: `node stdio.ts`. The agent does not need this file.
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { server } from './server.ts';

await server.connect(new StdioServerTransport());
