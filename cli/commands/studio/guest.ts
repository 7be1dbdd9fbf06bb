// The source of an agent without an account, and how it becomes an agent of yours.
import { Command, Option } from 'clipanion';
import { createClient } from '#contract/client.ts';
import { ApiCommand } from '../../lib/api-command.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { plain } from '../../lib/output.ts';
import { GuestBriefCommand } from '../../studio/brief-command.ts';

export class StudioGuestCommand extends GuestBriefCommand {
  static override paths = [['studio', 'guest']];
  static override usage = Command.Usage({
    description: 'write the source of an agent without signing in; nothing of it is run',
    details: 'The source is kept for a day under the printed token, and has no owner until it is claimed. The token is not shown again.',
    examples: [
      [
        'Into a folder',
        'svc studio guest harbour-watch "Tell me when the harbour page stops answering" --input url=https://harbour.example/ --out harbour-watch',
      ],
    ],
  });

  out = Option.String('--out', { description: 'folder that the files are written into; it must be new or empty' });

  async execute(): Promise<number> {
    const made = await createClient({ baseUrl: this.apiUrl }).agentStudio.createPublicGuest({ body: await this.guestBrief() });
    const output = this.output(this.json);
    output.result(made, [made.token]);
    if (this.out !== undefined) {
      const { writeFiles } = await import('../../studio/write-files.ts');
      await writeFiles(this.out, made.files);
    }
    const where = this.out === undefined ? '' : ` in ${this.out}`;
    output.note(`Recipe ${made.recipe}, ${made.files.length} files${where}: ${made.files.map(({ path }) => plain(path)).join(', ')}`);
    output.hint(`Make it an agent of yours until ${made.expires_at}: svc login, then svc studio claim ${made.token} --wait`);
    return EXIT.ok;
  }
}

export class StudioClaimCommand extends ApiCommand {
  static override paths = [['studio', 'claim']];
  static override usage = Command.Usage({
    description: 'claim the agent of a guest run: a run of the studio builds it and deploys it for you only',
    examples: [
      ['Until it is live', 'svc studio claim sgr_XKb5m0m3mVQm2y7pO4mJ9f1c6d8e0a2b4c6d8e0f1g3 --wait'],
      ['Under another name', 'svc studio claim sgr_XKb5m0m3mVQm2y7pO4mJ9f1c6d8e0a2b4c6d8e0f1g3 --name harbour-watch-2'],
    ],
  });

  token = Option.String({ name: 'TOKEN' });
  as = Option.String('--name', { description: 'of the agent, where the name of the brief is taken' });
  wait = Option.Boolean('--wait', false, { description: 'follow it to its end' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const client = this.client();
    const { startedRun } = await import('../../studio/follow.ts');
    const begun = await client.agentStudio.claim({ body: { token: this.token, ...(this.as !== undefined && { name: this.as }) } });
    return startedRun(client, begun, this.output(this.json), this.wait);
  }
}
