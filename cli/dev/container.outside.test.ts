// `svc dev --docker` with a real Docker engine: served, changed, broken, mended, ended.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePort } from '#stack/ports.ts';
import { type DockerEngine, startDocker } from '#test/outside/docker.ts';
import { run } from '../project/languages/run.ts';
import { scaffold } from '../project/scaffold.ts';
import { makeTool, type Tool } from '../test/tool.ts';

let docker: DockerEngine;
let tool: Tool;
beforeAll(async () => {
  docker = await startDocker();
  tool = await makeTool('http://localhost:1', '/nowhere');
});
afterAll(async () => {
  await tool?.remove();
  await docker?.end();
});

test.each(['typescript', 'python'] as const)('an agent in %s is served from its image, and what is saved with it', async (language) => {
  const name = `greeter-${language}`;
  await scaffold({ name, description: 'Greets', target: tool.home, language });
  const folder = join(tool.home, name);
  const source = join(folder, language === 'python' ? 'agent.py' : 'agent.ts');
  const port = await freePort();
  const child = tool.spawn(['dev', '--docker', '--project', folder, '--port', String(port)], docker.env);
  const greeting = async (): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}/invoke/greet`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"Ada"}',
    });
    return await response.text();
  };
  const greets = (word: string) => vi.waitFor(async () => expect(await greeting()).toContain(word), { timeout: 180_000, interval: 500 });
  const edit = async (change: (text: string) => string) => await writeFile(source, change(await readFile(source, 'utf8')));
  await greets('Hello, Ada');
  await edit((text) => text.replace('Hello', 'Salut'));
  await greets('Salut, Ada');
  await edit((text) => `${text}\n)broken(\n`);
  await vi.waitFor(() => expect(child.err()).toMatch(/agent\.(py|ts):\d+/), { timeout: 60_000, interval: 100 });
  expect(await greeting()).toContain('Salut, Ada');
  await edit((text) => text.replace('\n)broken(\n', '').replace('Salut', 'Ciao'));
  await greets('Ciao, Ada');
  child.process.kill('SIGINT');
  expect(await child.ended).toMatchObject({ code: 0 });
  const { stdout } = await run('docker', ['ps', '--all', '--quiet'], { cwd: folder, env: { ...process.env, ...docker.env } });
  expect(stdout).toBe('');
});
