import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import type { CliContext } from '../lib/context.ts';
import { Terminal } from './terminal.ts';

test('what happens meanwhile is said above what is being typed, which stays and can be sent', async () => {
  const [stdin, stderr] = [Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined }), new PassThrough()];
  let shown = '';
  stderr.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  // Safe: a terminal uses the streams alone.
  const terminal = new Terminal({ stdin, stderr, interactive: true } as unknown as CliContext);
  terminal.interject('before anybody is asked\n');
  const line = terminal.line('agent> ');
  stdin.write('greet na');
  await vi.waitFor(() => expect(shown).toContain('greet na'));
  const before = shown.length;
  terminal.interject('reloaded (agent.ts)\n');
  await vi.waitFor(() => expect(shown.slice(before)).toMatch(/reloaded \(agent\.ts\)\n[\s\S]*agent> greet na/));
  stdin.write('me=Ada\r');
  expect(await line).toBe('greet name=Ada');
  terminal.close();
});
