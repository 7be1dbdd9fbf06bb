import { Command, Option } from 'clipanion';
import { ApiError } from '#contract/client.ts';
import { ApiCommand } from '../lib/api-command.ts';
import { CliError } from '../lib/errors.ts';

export class CancelCommand extends ApiCommand {
  static override paths = [['cancel']];
  static override usage = Command.Usage({
    description: 'cancel a run, or any other job of yours',
    details: 'Notifies the skill, withdraws its open questions, revokes its grants and cancels the runs it started. Exits 1 when the run has ended already.',
    examples: [['By the id that svc runs shows', 'svc cancel run_0193…']],
  });

  id = Option.String({ name: 'ID' });
  agent = Option.String('--agent', { description: 'of the run: found faster' });
  json = Option.Boolean('--json', false, { description: 'print the job as JSON' });

  async execute(): Promise<number> {
    const client = this.client();
    const { findRun, isJobId, readRun } = await import('../runs/model.ts');
    const jobId = isJobId(this.id) ? this.id : (await readRun(client, await findRun(client, this.id, this.agent))).job_id;
    if (jobId === null) throw new CliError(`${this.id} is a plain call: it ends with its caller's connection.`);
    const output = this.output(this.json);
    try {
      const job = await client.workLedger.cancel({ params: { job_id: jobId } });
      if (!this.json) output.note(job.state === 'cancelled' ? 'Cancelled.' : 'It is being cancelled.');
      output.result(job, []);
      return 0;
    } catch (error) {
      if (error instanceof ApiError && error.status === 409)
        throw new CliError(`It has ended already. See it with: svc logs --run ${this.id}`, undefined, { cause: error });
      throw error;
    }
  }
}
