// Everything of the person's runs that waits for them.
import { ApiError } from '#contract/client.ts';
import { NoAnswer } from '../ask/form.ts';
import { Terminal } from '../ask/terminal.ts';
import type { Api } from '../api.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { plain, type Output } from '../output.ts';
import { decide } from './decide.ts';
import { explainWait } from './desk.ts';
import { readRun, runOf, type RunName, type Wait } from './model.ts';
import { sendDecision, sentNote } from './send.ts';

export type RunsWait = Wait & { agent: string; skill: string; run_id: string };
const MAX_RUNS = 200;

/** Those that end soonest first. */
export async function openWaits(client: Api): Promise<RunsWait[]> {
  const { items } = await client.workLedger.activity({ query: { kind: 'run', state: 'waiting', limit: MAX_RUNS } });
  const names = items.map(runOf).filter((name): name is RunName => name !== undefined);
  const found = await Promise.all(names.map((name) => waitsOf(client, name)));
  return found.flat().toSorted((a, b) => a.expires_at.localeCompare(b.expires_at));
}

async function waitsOf(client: Api, name: RunName): Promise<RunsWait[]> {
  try {
    const { waits, agent, skill, run_id } = await readRun(client, name);
    return waits.map((wait) => ({ ...wait, agent, skill, run_id }));
  } catch (error) {
    // It has ended and gone meanwhile.
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

export function showWaits(waits: readonly RunsWait[], output: Output): void {
  if (waits.length === 0) output.note('Nothing waits for you.');
  if (!output.json) for (const wait of waits) explainWait(output, { ...wait, prompt: `${wait.agent}.${wait.skill}: ${wait.prompt}` });
  output.result(waits, []);
}

/** One after the other; Ctrl-D leaves one as it is. */
export async function askAll(client: Api, waits: readonly RunsWait[], output: Output, context: CliContext, at?: Terminal): Promise<number> {
  const terminal = at ?? new Terminal(context);
  if (waits.length === 0) output.note('Nothing waits for you.');
  let refused = 0;
  try {
    for (const wait of waits) {
      output.note(output.dim(`${wait.agent}.${wait.skill} (${wait.run_id}) waits until ${wait.expires_at}; Ctrl-D leaves the rest for later`));
      refused += await ask(client, wait, output, terminal);
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    output.note('\nThe rest waits on.');
  } finally {
    if (!at) terminal.close();
  }
  return refused === 0 ? EXIT.ok : EXIT.failure;
}

async function ask(client: Api, wait: Wait, output: Output, terminal: Terminal): Promise<0 | 1> {
  for (;;) {
    const sent = await sendDecision(client, wait.wait_id, await decide(terminal, wait));
    output.note(sent.is === 'taken' ? output.good(sentNote(sent)) : plain(sent.says));
    if (sent.is !== 'refused') return sent.is === 'taken' ? 0 : 1;
  }
}
