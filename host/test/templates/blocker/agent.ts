// An agent that blocks its process, fails to start or fails its health check on request.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, AgentNotReady, skill, z } from '@svc/sdk';

const empty = z.object({});
const ILL = '/tmp/ill';

export class Blocker extends Agent {
  override name = 'blocker';
  override description = 'Blocks its process.';
  override version = '0.1.0';
  override concurrency = 4;
  override resources = { maxRuntimeSeconds: 6 };

  override async startup(): Promise<void> {
    if (process.env['GREETING'] === 'no model') throw new Error('models/main.bin does not exist: add it to the project');
  }
  override async health(): Promise<boolean> {
    if (existsSync(ILL)) throw new AgentNotReady('the index is being rebuilt');
    return true;
  }

  loop = skill({ description: 'Never ends.', input: empty, output: z.string(), timeoutSeconds: 4 }, async () => {
    for (;;);
  });
  hold = skill({ description: 'Waits in the system, where nothing ends it.', input: empty, output: z.string(), timeoutSeconds: 4 }, async () => {
    execFileSync('/bin/sleep', ['100000']);
    return 'never';
  });
  ask = skill({ description: 'Asks, in the middle of it.', input: empty, output: z.record(z.string(), z.unknown()) }, async (ctx) => {
    const local = { before: [1, 2] };
    local.before.push(3);
    return { ...local, answer: await ctx.ask('Go on?', 86_400) };
  });
  quick = skill({ description: 'Answers.', input: empty, output: z.string() }, async () => 'quick');
  ill = skill({ description: 'Is ill until it is answered.', input: empty, output: z.string() }, async (ctx) => {
    writeFileSync(ILL, '');
    await ctx.ask('Well again?', 86_400);
    rmSync(ILL);
    return 'well';
  });
}
