import { createServer } from 'node:http';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { freeAddress, temporalMetrics } from './temporal.ts';

test('the address that is free can be listened on, and its figures are read there', async () => {
  const address = await freeAddress();
  expect(await temporalMetrics(address)).toBe('');
  const [host, port] = address.split(':');
  const server = createServer((request, response) => response.writeHead(request.url === '/metrics' ? 200 : 404).end('temporal_up 1\n'));
  onTestFinished(() => void server.close());
  await once(server.listen(Number(port), host), 'listening');
  expect(server.address()).toMatchObject({ address: '127.0.0.1', port: Number(port) });
  expect(Number(port)).toBeGreaterThan(0);
  expect(await temporalMetrics(address)).toBe('temporal_up 1\n');
});
