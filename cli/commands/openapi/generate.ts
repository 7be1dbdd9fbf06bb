import { Command, Option } from 'clipanion';
import { DescriptionCommand, equip, noteOf, writeSource } from '../../openapi/command.ts';

export class OpenApiGenerateCommand extends DescriptionCommand {
  static override paths = [['openapi', 'generate']];
  static override usage = Command.Usage({
    description: 'generate editable agent source from an API description, and deploy it',
    details:
      'URL is an address, a file, or - for standard input. An agent that was generated before keeps the edits of its source: what is new is merged into it. With --out the source is only written to a folder. A generated agent is unlisted unless you say --public.',
    examples: [
      ['A small API, one skill for each operation', 'svc openapi generate https://petstore3.swagger.io/api/v3/openapi.json --name pets'],
      ['A large one, searched, with some skills of their own', 'svc openapi generate stripe.json --pin tag:customers --pin get_balance'],
      ['Only the source', 'svc openapi generate openapi.yaml --out ./my-agent'],
    ],
  });

  wait = Option.Boolean('--wait', true, { description: 'wait until it is live' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    const client = this.client();
    const wish = await this.wish();
    if (this.out !== undefined) {
      const { name, files, warnings } = await client.agents.openapiPreview({ body: wish });
      await writeSource(this.out, files);
      await equip(this.out);
      for (const warning of warnings) output.note(noteOf(warning));
      output.hint(`Check it with: svc test --project ${this.out}`);
      output.result({ name, folder: this.out, files: files.map(({ path }) => path) }, [this.out]);
      return 0;
    }
    const accepted = await client.agents.fromOpenapi({ body: wish });
    for (const warning of accepted.warnings) output.note(noteOf(warning));
    const what = accepted.regenerated ? 'Generated again, with the edits of its source' : 'Generated';
    output.note(`${what}: ${accepted.files.length} files, ${accepted.skills.length} ${accepted.skills.length === 1 ? 'skill' : 'skills'}`);
    if (!this.wait) {
      output.hint(`Queued as ${accepted.deploy_id}. See it with: svc logs ${accepted.name} -f`);
      output.result(accepted, [accepted.url]);
      return 0;
    }
    const { waitUntilLive } = await import('../../deploy/deploy.ts');
    const deployment = await waitUntilLive(client, accepted, output);
    output.note(output.good(`Live: ${accepted.name} ${deployment.version ?? ''}`.trimEnd()));
    if (accepted.setup_fields.length > 0) output.hint(`Set what the API needs of you: svc setup ${accepted.name}`);
    output.hint(`See what it offers with: svc describe ${accepted.name}`);
    output.result({ ...accepted, state: deployment.state }, [accepted.url]);
    return 0;
  }
}
