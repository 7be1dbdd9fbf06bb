// What suites and benchmarks ask of any sandbox driver: a sandbox to create, programs and scripts to run in
// it, files to put into it.
import { uniqueId } from '../../runtime/test/agents.ts';
import type { SandboxCreate, SandboxExecResult, SandboxFile, SandboxRuntime } from '../port.ts';

export const sandboxInput = (change: Partial<SandboxCreate> = {}): SandboxCreate => ({
  sandbox_id: uniqueId('x'),
  image: 'python:3.11-slim',
  memory_mib: 512,
  cpus: 1,
  egress: [],
  env: {},
  idle_ms: 600_000,
  ...change,
});

const never = new AbortController().signal;

export function run(runtime: SandboxRuntime, id: string, command: string, args: string[] = [], timeout_ms = 60_000): Promise<SandboxExecResult> {
  return runtime.exec(id, { command, args, timeout_ms }, never);
}

/** As the platform runs scripts: on standard input, so that no quoting is involved. */
export function shell(runtime: SandboxRuntime, id: string, script: string, timeout_ms = 60_000): Promise<SandboxExecResult> {
  return runtime.exec(id, { command: '/bin/sh', args: ['-s'], stdin: Buffer.from(script), timeout_ms }, never);
}

export async function* filesOf(files: Record<string, string | Uint8Array>): AsyncGenerator<SandboxFile> {
  for (const [path, content] of Object.entries(files)) yield { path, content: typeof content === 'string' ? Buffer.from(content) : content };
}
