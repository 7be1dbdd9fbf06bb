// In a process of its own, started as the platform starts an agent's: what is ended in a callback of Node's
// must not end the process.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const program = `
import { createHook } from 'node:async_hooks';
import { Agent, skill } from '${new URL('../../index.ts', import.meta.url).href}';
import { startAgent } from '${new URL('../start.ts', import.meta.url).href}';
const forEver = () => { for (;;); };
class Blocker extends Agent {
  name = 'blocker'; description = 'For tests.'; version = '1.0.0';
  timer = skill({ timeoutSeconds: 0.3 }, async () => await new Promise(() => setTimeout(forEver, 1)));
  interval = skill({ timeoutSeconds: 0.3 }, async () => await new Promise(() => setInterval(forEver, 1).unref()));
  immediate = skill({ timeoutSeconds: 0.3 }, async () => await new Promise(() => setImmediate(forEver)));
  quick = skill({}, async () => 'quick');
}
const { server, shutdown } = await startAgent(Blocker, { listen: { host: '127.0.0.1', port: 0 }, onLog: () => {} });
const call = (name) => fetch(\`http://127.0.0.1:\${server.address().port}/invoke/\${name}\`, { method: 'POST' }).then((answer) => answer.status);
const seen = [];
for (const name of ['timer', 'interval', 'immediate', 'timer', 'quick']) seen.push(await call(name));
createHook({ init() {} }).enable();
seen.push(await call('quick'));
console.log(JSON.stringify(seen));
await shutdown();
process.exit(0);
`;

it('ends what blocks in a timer, and the process continues, also when a tracing library sets its hook afterwards', async () => {
  const flags = ['--disable-warning=ExperimentalWarning', '--no-force-async-hooks-checks', '--input-type=module-typescript'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--eval', program], { timeout: 25_000 });
  expect(JSON.parse(stdout)).toEqual([504, 504, 504, 504, 200, 200]);
});
