// One set of recordings for tests in both languages: what an agent in TypeScript asked once, the same agent
// in Python finds.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startRecordingGateway } from '#cli/recordings/gateway.ts';
import { testAgent } from '#sdk/typescript/testing.ts';
import { PYTHON, pythonWithSdk, WITHOUT_PYTHON } from '../support/languages/python.ts';
import { startProvider } from '../support/provider/provider.ts';
import { Writer } from './agents/writer.ts';

const AGENTS = join(import.meta.dirname, 'agents');
const MODELS = ['m-1', 'claude-1'];
const PROGRAM = `
import asyncio, json
from svc.testing import TestAgent
from writer import Writer

async def story():
    agent = TestAgent(Writer)
    said = []
    for model in ${JSON.stringify(MODELS)}:
        said += [(await agent.invoke("ask", model=model, max_tokens=50)).result, (await agent.invoke("tell", model=model)).result]
    return said

print(json.dumps(asyncio.run(story())))
`;

describe.skipIf(!PYTHON)(`recordings (${PYTHON ?? WITHOUT_PYTHON})`, () => {
  it('of an agent in TypeScript answer the same agent in Python', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-recordings-'));
    const provider = await startProvider();
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await provider.close();
      await rm(folder, { recursive: true, force: true });
    });
    const recorder = await startRecordingGateway(folder, 'record', { OPENAI_BASE_URL: provider.url, ANTHROPIC_BASE_URL: provider.url.replace(/\/v1$/, '') });
    for (const [name, value] of Object.entries({ ...recorder.env, OPENAI_API_KEY: 'sk-own', ANTHROPIC_API_KEY: 'sk-own' })) vi.stubEnv(name, value);
    const agent = testAgent(Writer);
    const said: unknown[] = [];
    for (const model of MODELS) said.push((await agent.invoke('ask', { model, max_tokens: 50 })).result, (await agent.invoke('tell', { model })).result);
    await recorder.close();
    await provider.close();

    const replayed = await startRecordingGateway(folder, 'replay', {});
    onTestFinished(() => replayed.close());
    const python = await pythonWithSdk();
    const { stdout } = await promisify(execFile)(python, ['-c', PROGRAM], { cwd: AGENTS, env: { ...process.env, ...replayed.env } });
    expect(replayed.seen.problems).toEqual([]);
    expect(JSON.parse(stdout)).toEqual(said);
  });
});
