// Agents in use: their tools as commands of this tool.
import { Option } from 'clipanion';
import { ApiError } from '#contract/client.ts';
import type { Api } from '../lib/api.ts';
import { customCommand } from '../lib/command.ts';
import { CliError } from '../lib/errors.ts';
import { plain } from '../lib/output.ts';

export const use = customCommand('use', {
  about: "make an agent's tools commands of this tool, with flags of their own",
  details:
    'Fetches the card and keeps it in ~/.svc/agents; run it again to refresh. Then: svc AGENT TOOL --flag VALUE, with types, choices and required flags checked before the call, and completed by the shell (svc completion). Lists the values that the agent needs from you and that are not set yet; it never asks for them here.',
  examples: [
    ['Once', 'svc use text-kit'],
    ['From then on', 'svc text-kit compare --before "one two" --after "one three"'],
  ],
  arguments: { agent: 'AGENT' },
  options: () => ({ noPrompt: Option.Boolean('--no-prompt', false, { description: 'without effect: it never prompts' }) }),
  run: async ({ agent }, { client, context, output, apiUrl }) => {
    const { card, url } = await client.agents.get({ params: { name: agent } });
    if (!card) throw new CliError(`${agent} has no live deployment, so no tools yet.`);
    const { Stubs } = await import('../use/stubs.ts');
    await new Stubs(context.settings.home).put({ api: apiUrl, agent, url, fetched_at: new Date().toISOString(), card });
    const missing = await missingSetup(client, agent);
    if (missing.length > 0) output.hint(`${agent} still needs of you: ${missing.join(', ')}. Set it with: svc setup ${agent}`);
    const { WORDS } = await import('./index.ts');
    const taken = WORDS.includes(agent);
    if (taken) output.hint(`"svc ${agent}" is a command of this tool: use svc call ${agent} TOOL.`);
    return { card, missing, taken };
  },
  json: ({ card: { version, skills }, missing }, { agent }) => ({ agent, version, tools: skills.map(({ id }) => id), setup_missing: missing }),
  lines: ({ card: { version, skills }, taken }, { agent }, output) => [
    `${agent} ${version} is in use:`,
    ...skills.map(({ id, description }) => `  ${output.advice(`svc ${taken ? 'call ' : ''}${agent} ${id}`)}  ${plain(description)}`.trimEnd()),
  ],
});

export const unuse = customCommand('unuse', {
  local: true,
  about: "forget an agent's commands",
  details: 'What you have set up for it at the control plane stays.',
  examples: [['Commands that svc use made', 'svc unuse text-kit']],
  arguments: { agent: 'AGENT' },
  run: async ({ agent }, { context, output }) => {
    const { Stubs } = await import('../use/stubs.ts');
    const stubs = new Stubs(context.settings.home);
    if (!(await stubs.remove(agent))) {
      const names = await stubs.names();
      throw new CliError(`${agent} is not in use. ${names.length === 0 ? 'No agent is.' : `In use: ${names.join(', ')}`}`);
    }
    output.note(`${agent} is no longer in use.`);
    return { agent, in_use: false };
  },
});

async function missingSetup(client: Api, name: string): Promise<string[]> {
  try {
    return (await client.consumerSetup.get({ params: { name } })).missing;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}
