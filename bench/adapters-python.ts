// `node bench/adapters-python.ts [calls]`: what the adapters of the Python SDK add to a call of the framework
// itself, in one process, interleaved, with the newest version of each. Models are a local server, or the
// framework's own test model. Target: < 5 ms a call. Needs Python 3.11; installs the frameworks once.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { FRAMEWORKS, frameworkPython } from '#test/support/languages/frameworks.ts';
import { startProvider } from '#test/support/provider/provider.ts';
import { median, printAdded } from './ratio.ts';

const MEASURED = new Set(['langgraph', 'openai_agents', 'pydantic_ai', 'google_adk', 'crewai', 'fastapi']);
const TARGET_MS = 5;
const calls = process.argv[2] ?? '100';
const run = promisify(execFile);
const provider = await startProvider();
try {
  const env = { ...process.env, OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'x', LITELLM_LOCAL_MODEL_COST_MAP: 'True' };
  for (const framework of FRAMEWORKS.filter(({ name }) => MEASURED.has(name))) {
    const python = await frameworkPython(framework, 'newest');
    const { stdout } = await run(python, [join(import.meta.dirname, 'adapters.py'), framework.name, calls], { env });
    const rounds = z.array(z.number()).parse(JSON.parse(stdout));
    printAdded({ name: `adapter of ${framework.name}`, ms: median(rounds), spread: [Math.min(...rounds), Math.max(...rounds)], target: TARGET_MS });
  }
} finally {
  await provider.close();
}
