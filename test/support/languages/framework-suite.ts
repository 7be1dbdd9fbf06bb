// What is proven of each adapter for Python, with the real framework and a scripted model: its tests, and its
// example behind the sidecar.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentEvent } from '#contract/wire/events.ts';
import { type Provider, startProvider } from '../provider/provider.ts';
import { exampleOf, type Framework, frameworkPython } from './frameworks.ts';
import { PYTHON, SDK, WITHOUT_PYTHON } from './python.ts';
import { serveWorker } from './sidecar.ts';

const run = promisify(execFile);
const INSTALL_MS = 600_000;
const Names = z.array(z.string()).min(10);
const FRAMEWORK_PACKAGES = /^(langgraph|langchain|agents|openai|pydantic_ai|fastapi|starlette|google|crewai|httpx)/;

export function proveFramework(framework: Framework, which: 'newest' | 'lowest'): void {
  describe.skipIf(!PYTHON)(`${framework[which][0] ?? framework.name} (${PYTHON ?? WITHOUT_PYTHON})`, () => {
    let python: string;
    let provider: Provider;
    let folder: string;
    let env: NodeJS.ProcessEnv;
    beforeAll(async () => {
      [python, provider, folder] = await Promise.all([frameworkPython(framework, which), startProvider(), mkdtemp(join(tmpdir(), 'svc-adapter-'))]);
      const model = { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'x', MODEL: 'm-1', LITELLM_LOCAL_MODEL_COST_MAP: 'True' };
      env = { ...process.env, ...model, LEDGER: join(folder, 'ledger.txt'), PYTHONDONTWRITEBYTECODE: '1' };
    }, INSTALL_MS);
    afterAll(async () => {
      await provider?.close();
      if (folder) await rm(folder, { recursive: true });
    });

    it('its own tests pass', async () => {
      const { stdout } = await run(python, ['-m', 'pytest', `tests/adapters/test_${framework.name}.py`], { cwd: SDK, env });
      expect(stdout).toMatch(/^\d+ passed/m);
      expect(stdout).not.toMatch(/skipped|failed/);
    });

    it('nothing of a framework is loaded with the SDK', async () => {
      const code = 'import json, sys, svc, svc.adapters; print(json.dumps([one.split(".")[0] for one in sys.modules if one not in sys.stdlib_module_names]))';
      const loaded = Names.parse(JSON.parse((await run(python, ['-c', code], { cwd: SDK, env })).stdout));
      const others = new Set(loaded.filter((name) => FRAMEWORK_PACKAGES.test(name)));
      expect([...others]).toEqual([]);
    });

    it('its example streams, asks, and goes on where it was: what it does is done once', async () => {
      const { entrypoint, skill, args, answer, result, text } = framework.example;
      const cwd = exampleOf(framework);
      const dsl: unknown = JSON.parse((await run(python, ['-m', 'svc', 'compile', entrypoint], { cwd, env })).stdout);
      const served = await serveWorker({ dsl, worker: { command: python, args: ['-m', 'svc', 'worker', entrypoint], cwd, env: strings(env) } });
      const events: AgentEvent[] = [];
      for await (const event of served.stream(skill, args)) {
        events.push(event);
        if (event.kind !== 'question') continue;
        const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ answer }) };
        expect((await fetch(`${served.url}/answers/${String(event.payload['question_id'])}`, init)).status).toBe(200);
      }
      expect(events.at(-1), JSON.stringify(served.log)).toEqual({ kind: 'result', payload: { result } });
      expect(events.flatMap(({ kind, payload }) => (kind === 'text_delta' ? [payload['text']] : [])).join('')).toBe(text);
      expect(events.filter(({ kind }) => kind === 'question')).toHaveLength(answer === undefined ? 0 : 1);
      expect(await readFile(join(folder, 'ledger.txt'), 'utf8')).toBe('Łódź\n');
    });
  });
}

function strings(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
