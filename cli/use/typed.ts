// `svc <agent> <tool> --flag value` of an agent in use: checked against its card, then called like any other.
import type { Readable } from 'node:stream';
import { inputReader } from '../call/arguments.ts';
import { UsageError } from '../lib/errors.ts';
import { closest } from '#contract/wire/nearest.ts';
import { flagsOf, readFlags } from './flags.ts';
import { agentPage, toolPage } from './help.ts';
import type { Stub } from './stubs.ts';

export type Typed = { page: string; wrong: boolean } | { argv: string[] };

/** @throws UsageError */
export async function typedCall(stub: Stub, argv: readonly string[], stdin: Readable): Promise<Typed> {
  const { agent, api, card } = stub;
  const [, tool, ...words] = argv;
  const help = argv.some((word) => word === '--help' || word === '-h');
  if (tool === undefined || tool.startsWith('-')) return { page: agentPage(stub), wrong: !help };
  const skill = card.skills.find(({ id }) => id === tool || id.replaceAll('_', '-') === tool);
  if (!skill) throw new UsageError(noTool(stub, tool));
  if (help) return { page: toolPage(stub, skill), wrong: false };
  try {
    const { args, options } = await readFlags(flagsOf(skill), words, inputReader(stdin));
    const json = args === undefined ? [] : [`--json=${JSON.stringify(args)}`];
    // Text that starts with @ has been read already.
    return { argv: ['call', agent, skill.id, ...json, ...joined(options), ...(options.includes('--api') ? [] : [`--api=${api}`])] };
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${error.message}\nSee: svc ${agent} ${tool} --help`);
    throw error;
  }
}

/** `--json @-` and such are read by the call itself. */
function joined(options: readonly string[]): string[] {
  return options.flatMap((word, i) =>
    word.startsWith('--') && !(options[i + 1] ?? '--').startsWith('--') ? [`${word}=${options[i + 1]}`] : word.startsWith('--') ? [word] : [],
  );
}

function noTool({ agent, card }: Stub, tool: string): string {
  const ids = card.skills.map(({ id }) => id);
  const near = closest(tool, ids);
  const hint = near === undefined ? `It has: ${ids.join(', ')}.` : `Did you mean: svc ${agent} ${near}?`;
  return `${agent} has no tool "${tool}". ${hint}\nIs it new? Fetch the card again with: svc use ${agent}`;
}
