// An agent that blocks its process, does not start or does not feel well, when it is told to.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, skill, z } from '@svc/sdk';

const empty = z.object({});
const ILL = '/tmp/ill';

export class Blocker extends Agent {
  override name = 'blocker';
  override description = 'Blocks its process.';
  override version = '0.1.0';
  override concurrency = 4;

  override async startup(): Promise<void> {
    if (process.env['GREETING'] === 'no model') throw new Error('models/main.bin is not there: add it to the project');
  }
  override async health(): Promise<boolean> {
    return !existsSync(ILL);
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
  ill = skill({ description: 'Falls ill.', input: z.object({ is: z.boolean() }), output: z.boolean() }, async (_ctx, { is }) => {
    if (is) writeFileSync(ILL, '');
    else rmSync(ILL, { force: true });
    return is;
  });
}
