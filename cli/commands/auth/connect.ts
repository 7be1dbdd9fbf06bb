// What the commands that store a credential of an imported agent share.
import { Option } from 'clipanion';
import type { z } from 'zod';
import type { AgentAuthIn } from '#contract/imports/agent-auth.ts';
import { ApiCommand } from '../../command-base.ts';

export abstract class AuthConnectCommand extends ApiCommand {
  agent = Option.String({ name: 'AGENT' });
  schemeName = Option.String('--scheme-name', { description: "which scheme of the agent's card it is for; default: the first of its kind" });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  protected get named(): { scheme_name?: string } {
    return this.schemeName === undefined ? {} : { scheme_name: this.schemeName };
  }

  protected async connect(body: z.input<typeof AgentAuthIn>): Promise<number> {
    const made = await this.client().agentAuth.connect({ params: { name: this.agent }, body });
    const output = this.output(this.json);
    output.hint(`Every call of ${this.agent} shows it from now on. See what it needs with: svc auth status ${this.agent}`);
    output.result(made, [`Connection ${made.connection_id} (${made.scheme_name}) is stored.`]);
    return 0;
  }
}

export const VALUES = 'A value may be @file or @- (standard input), which keeps it out of the history of the shell. It is sealed, and never shown again.';
