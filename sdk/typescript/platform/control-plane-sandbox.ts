// Sandboxes by way of the control plane: /run/v1/sandboxes.
import { z } from 'zod';
import { callTo } from '../../../contract/path-to.ts';
import type { ExecResult, Sandbox, SandboxHandle } from '../authoring/context.ts';
import type { RunIdentity } from '../runtime/platform.ts';
import type { PlatformRequest } from './run-client.ts';

interface Client {
  json<T>(request: PlatformRequest, model: z.ZodType<T>): Promise<T>;
  bytes(request: PlatformRequest): Promise<Uint8Array>;
}

const EXEC_SECONDS = 60;
/** Beyond a program's own time: a template may have to be made first. */
const START_SECONDS = 120;

const Result = z.object({
  stdout: z.string(),
  stderr: z.string().default(''),
  exit_code: z.int().default(0),
  truncated: z.boolean().default(false),
  timed_out: z.boolean().default(false),
});
const Named = z.object({ name: z.string() });
const Logs = z.object({ text: z.string() });

export function remoteSandbox(run: RunIdentity, { json, bytes }: Client): Sandbox {
  const execute = async (call: { method: 'POST'; path: string }, body: object, seconds: number, what: string): Promise<ExecResult> => {
    const request = { ...call, json: { ...body, timeout_seconds: seconds }, timeoutSeconds: seconds + START_SECONDS, what } as const;
    const { stdout, stderr, exit_code: exitCode, truncated, timed_out: timedOut } = await json(request, Result);
    return { stdout, stderr, exitCode, truncated, timedOut };
  };
  const handle = (name: string): SandboxHandle => ({
    name,
    exec: (command, args = [], { timeoutSeconds = EXEC_SECONDS } = {}) =>
      execute(callTo('POST /run/v1/sandboxes/{name}/exec', { name }), { command, args }, timeoutSeconds, 'sandbox.exec()'),
    shell: (script, { timeoutSeconds = EXEC_SECONDS } = {}) =>
      execute(callTo('POST /run/v1/sandboxes/{name}/shell', { name }), { script }, timeoutSeconds, 'sandbox.shell()'),
    logs: async ({ tail = 200 } = {}) =>
      (await json({ ...callTo('GET /run/v1/sandboxes/{name}/logs', { name }), query: { tail: String(tail) }, what: 'sandbox.logs()' }, Logs)).text,
    stop: async () => void (await json({ ...callTo('POST /run/v1/sandboxes/{name}/stop', { name }), repeatable: true, what: 'sandbox.stop()' }, Named)),
    kill: async () => void (await json({ ...callTo('POST /run/v1/sandboxes/{name}/kill', { name }), repeatable: true, what: 'sandbox.kill()' }, Named)),
  });
  const once = (
    language: 'python' | 'shell',
    code: string,
    { image = 'python:3.11-slim', timeoutSeconds = EXEC_SECONDS }: { image?: string; timeoutSeconds?: number },
  ) =>
    execute(
      callTo('POST /run/v1/sandboxes:run'),
      { language, code, image },
      timeoutSeconds,
      language === 'python' ? 'sandbox.runPython()' : 'sandbox.runShell()',
    );

  return {
    create: async ({ name, image = 'python:3.11-slim', memoryMib = 512, cpus = 1, workspace = null, secrets = [], egress = [], labels = {} }) => {
      const values = Object.fromEntries(secrets.map((secret) => [secret, run.secret(secret)]));
      const body = { name, image, memory_mib: memoryMib, cpus, workspace, secrets: values, egress, labels };
      const made = await json({ ...callTo('POST /run/v1/sandboxes'), json: body, timeoutSeconds: START_SECONDS, what: 'sandbox.create()' }, Named);
      return handle(made.name);
    },
    get: async (name) => handle((await json({ ...callTo('GET /run/v1/sandboxes/{name}', { name }), what: 'sandbox.get()' }, Named)).name),
    list: async () => (await json({ ...callTo('GET /run/v1/sandboxes'), what: 'sandbox.list()' }, z.array(Named))).map((sandbox) => sandbox.name),
    remove: async (name) => void (await bytes({ ...callTo('DELETE /run/v1/sandboxes/{name}', { name }), what: 'sandbox.remove()' })),
    runPython: (code, options = {}) => once('python', code, options),
    runShell: (script, options = {}) => once('shell', script, options),
  };
}
