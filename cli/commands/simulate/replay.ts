import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../lib/api-command.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import type { Output } from '../../lib/output.ts';

export class SimulateReplayCommand extends ApiCommand {
  static override paths = [['simulate', 'replay']];
  static override usage = Command.Usage({
    description: 'run a simulation again and compare every digest',
    details: 'Runs on the platform as a new job; with --local on this machine. No agent is called again. Exits 1 where a digest differs.',
    examples: [
      ['At the platform', 'svc simulate replay job_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11'],
      ['On this machine, without trusting the platform', 'svc simulate replay job_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 --local'],
    ],
  });

  job = Option.String({ name: 'JOB' });
  local = Option.Boolean('--local', false, { description: 'on this machine' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    if (this.local) return await this.#here(output);
    const api = this.client().kernelSimulations;
    const begun = await api.replay({ params: { job_id: this.job } });
    const { followed } = await import('../../simulations/follow.ts');
    const { simulationLines } = await import('../../simulations/show.ts');
    const run = await followed(output, () => api.get({ params: { job_id: begun.job_id } }));
    output.result(run, () => simulationLines(run));
    return run.replay?.matches === true ? EXIT.ok : EXIT.failure;
  }

  async #here(output: Output): Promise<number> {
    const run = await this.client().kernelSimulations.get({ params: { job_id: this.job } });
    const { replayHere } = await import('#contract/studio/simulation/replay.ts');
    const { matches, first_difference, digest, engine } = await replayHere(run);
    const summary = matches
      ? `All ${run.digests.length} digests are the same here: ${digest}`
      : `Step ${first_difference} has another digest here (engine ${engine}; the run was made by ${run.engine}).`;
    output.result({ of: this.job, matches, first_difference, digest, engine }, [matches ? output.good(summary) : output.bad(summary)]);
    return matches ? EXIT.ok : EXIT.failure;
  }
}
