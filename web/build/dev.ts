// For work on the dashboard: serves its source, and asks a running installation for the rest. `node
// web/build/dev.ts [API]` At /build/gallery/ it shows every component of the kit in its states
// (web/kit/gallery/), without an installation.
import { createServer } from 'vite';
import { options } from './options.ts';

const target = process.argv[2] ?? 'http://localhost:8080';
const api = { target, changeOrigin: true, headers: { origin: target } };
const server = await createServer({
  ...options,
  html: {},
  server: { port: 5173, strictPort: false, proxy: { '/v1': api, '/idp': api, '/source': api, '/readyz': api } },
});
await server.listen();
server.printUrls();
for (const url of server.resolvedUrls?.local ?? []) process.stdout.write(`  The kit: ${url}build/gallery/\n`);
