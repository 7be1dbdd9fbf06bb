import { Command, Option } from 'clipanion';
import { DSL_FILE } from '#contract/wire/dsl.ts';
import { integer } from '../lib/api-command.ts';
import type { CliContext } from '../lib/context.ts';
import { UsageError } from '../lib/errors.ts';

export class SidecarCommand extends Command<CliContext> {
  static override paths = [['sidecar']];
  static override usage = Command.Usage({
    description: 'serve a compiled declaration, with the handlers in a worker that runs already',
    details:
      'It waits for the worker for up to a minute and connects again when it was restarted. With SVC_API_KEY set, callers need it as bearer; secrets are read from the environment by the names the card requires.',
    examples: [
      ['A worker in Python and its sidecar', 'python -m svc worker agent:Greeter --listen tcp:127.0.0.1:9001 & svc compile && svc sidecar'],
      ['A worker in Go', 'SVC_WORKER_LISTEN=tcp:127.0.0.1:9001 ./worker & svc sidecar'],
    ],
  });

  dsl = Option.String('--dsl', DSL_FILE, { description: 'the compiled declaration' });
  workerUrl = Option.String('--worker-url', 'http://127.0.0.1:9001', { description: 'where the worker listens' });
  host = Option.String('--host', '0.0.0.0', { description: 'address to listen on' });
  port = Option.String('--port', '8000', { description: 'port to listen on; 0 picks a free one' });
  json = Option.Boolean('--json', false, { description: 'print where it serves as a JSON document on one line' });

  async execute(): Promise<number> {
    const port = integer('--port', this.port, { min: 0, max: 65_535 });
    const worker = URL.parse(this.workerUrl);
    if (worker?.protocol !== 'http:') throw new UsageError(`--worker-url: "${this.workerUrl}" is not the address of a worker: use http://host:port`);
    const { runSidecar } = await import('../project/sidecar.ts');
    const { stdout, stderr, env } = this.context;
    return await runSidecar({ dsl: this.dsl, workerUrl: worker.href, host: this.host, port, env, json: this.json }, { out: stdout, err: stderr });
  }
}
