// `node bench/python-agent.ts [calls]`: the same skill of a TypeScript and of a Python agent, each in its
// machine, called in turn through the ingress of a whole installation, receipts included: what a caller feels
// of the language. The bare runtimes are compared in python-call.ts.
import { request } from 'node:http';
import { loadavg } from 'node:os';
import { installation, ok } from '#test/e2e/installation.ts';
import { greeterFiles } from '#test/support/project.ts';
import { median } from './ratio.ts';

const calls = Number(process.argv[2] ?? 200);
const python = {
  'svc.yaml': 'name: bench-python\nversion: 1.0.0\nentrypoint: agent:Greeter\n',
  'requirements.txt': '',
  'agent.py': `from svc import Agent, RunContext, skill


class Greeter(Agent):
    name = "bench-python"
    description = "Greets."
    version = "1.0.0"

    @skill()
    async def greet(self, ctx: RunContext, name: str) -> dict[str, str]:
        return {"greeting": f"Hello, {name}!"}
`,
};
const i = await installation({ SVC_PAUSE_AFTER_SECONDS: '100000', SVC_SUSPEND_AFTER_SECONDS: '100000' });
const took: Record<'typescript' | 'python', number[]> = { typescript: [], python: [] };
try {
  ok(await i.stack('up'));
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  ok(await i.svc('deploy', await i.project('bench-typescript', greeterFiles('bench-typescript')), '--public'));
  ok(await i.svc('deploy', await i.project('bench-python', python), '--public'));
  for (let n = 0; n < 50; n += 1) await Promise.all([call('bench-typescript'), call('bench-python')]);
  for (let n = 0; n < calls; n += 1) {
    took.typescript.push(await call('bench-typescript'));
    took.python.push(await call('bench-python'));
  }
} finally {
  await i.destroy();
}
const [ts, py] = [median(took.typescript), median(took.python)];
console.log(
  `load ${loadavg()[0]?.toFixed(1)} · ${calls} calls each · TypeScript p50 ${ts.toFixed(1)} ms, Python p50 ${py.toFixed(1)} ms: ${(py / ts).toFixed(2)}x`,
);

/** Milliseconds until the whole answer is here. */
function call(name: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const headers = { host: `${name}.localhost:${i.port}`, 'content-type': 'application/json' };
    const sent = request({ port: i.port, host: '127.0.0.1', method: 'POST', path: '/invoke/greet', headers }, (response) => {
      response
        .resume()
        .on('end', () => (response.statusCode === 200 ? resolve(performance.now() - began) : reject(new Error(`${name} answered ${response.statusCode}`))));
    });
    sent.on('error', reject);
    sent.end('{"name":"Ada"}');
  });
}
