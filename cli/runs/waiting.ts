// Everything of the person's runs that waits for them.
import type { z } from 'zod';
import type { WaitCard } from '#contract/pauses/cards.ts';
import { NoAnswer } from '../ask/form.ts';
import { Terminal } from '../ask/terminal.ts';
import type { Api } from '../lib/api.ts';
import type { CliContext } from '../lib/context.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { plain, type Output } from '../lib/output.ts';
import { decide } from './decide.ts';
import { explainWait } from './desk.ts';
import type { Wait } from './model.ts';
import { sendDecision, sentNote } from './send.ts';

export type RunsWait = z.output<typeof WaitCard>;
export type Inbox = Api['inbox'];
const PAGE = 200;
const MOST_PAGES = 5;

/**
 * By person, not by run: a call that nobody follows, and an agent behind another one, ask as well. Those that
 * end soonest first.
 */
export async function openWaits(inbox: Inbox): Promise<RunsWait[]> {
  const waits: RunsWait[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const read: Awaited<ReturnType<Inbox['waits']>> = await inbox.waits({ query: { limit: PAGE, ...(cursor !== null && { cursor }) } });
    waits.push(...read.items);
    cursor = read.next_cursor;
    if (cursor === null) break;
  }
  return waits;
}

function whoAsks({ agent, skill, called_by: by = [] }: RunsWait): string {
  return `${agent}.${skill}${by.length === 0 ? '' : ` (called by ${by.join(', ')})`}`;
}

export function showWaits(waits: readonly RunsWait[], output: Output): void {
  if (waits.length === 0) output.note('Nothing waits for you.');
  if (!output.json) for (const wait of waits) explainWait(output, { ...wait, prompt: `${whoAsks(wait)}: ${wait.prompt}` });
  output.result(waits, []);
}

/** One after the other; Ctrl-D leaves one as it is. */
export async function askAll(client: Api, waits: readonly RunsWait[], output: Output, context: CliContext, at?: Terminal): Promise<number> {
  const terminal = at ?? new Terminal(context);
  if (waits.length === 0) output.note('Nothing waits for you.');
  let refused = 0;
  try {
    for (const wait of waits) {
      output.note(
        output.dim(`${whoAsks(wait)}${wait.run_id === null ? '' : ` (${wait.run_id})`} waits until ${wait.expires_at}; Ctrl-D leaves the rest for later`),
      );
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
