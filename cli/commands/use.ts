import { Command, Option } from 'clipanion';
import { ApiError } from '#contract/client.ts';
import { ApiCommand } from '../lib/api-command.ts';
import { CliError } from '../lib/errors.ts';
import { plain } from '../lib/output.ts';

export class UseCommand extends ApiCommand {
  static override paths = [['use']];
  static override usage = Command.Usage({
    description: "make an agent's tools commands of this tool, with flags of their own",
    details:
      'Fetches the card and keeps it in ~/.svc/agents; run it again to refresh. Then: svc AGENT TOOL --flag VALUE, with types, choices and required flags checked before the call, and completed by the shell (svc completion). Lists the values that the agent needs from you and that are not set yet; it never asks for them here.',
    examples: [
      ['Once', 'svc use text-kit'],
      ['From then on', 'svc text-kit compare --before "one two" --after "one three"'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  noPrompt = Option.Boolean('--no-prompt', false, { description: 'without effect: it never prompts' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const client = this.client();
    const { card, url } = await client.agents.get({ params: { name: this.agent } });
    if (!card) throw new CliError(`${this.agent} has no live deployment, so no tools yet.`);
    const { Stubs } = await import('../use/stubs.ts');
    await new Stubs(this.context.settings.home).put({ api: this.apiUrl, agent: this.agent, url, fetched_at: new Date().toISOString(), card });
    const output = this.output(this.json);
    const missing = await this.#missing();
    if (missing.length > 0) output.hint(`${this.agent} still needs of you: ${missing.join(', ')}. Set it with: svc setup ${this.agent}`);
    const taken = await this.#isCommand();
    if (taken) output.hint(`"svc ${this.agent}" is a command of this tool: use svc call ${this.agent} TOOL.`);
    const tools = card.skills.map(({ id, description }) =>
      `  ${output.advice(`svc ${taken ? 'call ' : ''}${this.agent} ${id}`)}  ${plain(description)}`.trimEnd(),
    );
    output.result({ agent: this.agent, version: card.version, tools: card.skills.map(({ id }) => id), setup_missing: missing }, [
      `${this.agent} ${card.version} is in use:`,
      ...tools,
    ]);
    return 0;
  }

  async #missing(): Promise<string[]> {
    try {
      return (await this.client().consumerSetup.get({ params: { name: this.agent } })).missing;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return [];
      throw error;
    }
  }

  async #isCommand(): Promise<boolean> {
    const { WORDS } = await import('../topics/index.ts');
    return WORDS.includes(this.agent);
  }
}
