// `svc chat AGENT`: a conversation with a deployed agent, or with the platform, in a thread that can be
// continued later.
import type { AgentCard } from '#contract/wire/card.ts';
import { Terminal } from '../ask/terminal.ts';
import type { Api } from '../lib/api.ts';
import type { CliContext } from '../lib/context.ts';
import { CliError } from '../lib/errors.ts';
import { forTerminal, plain, type Output } from '../lib/output.ts';
import { askAll, type Inbox, openWaits } from '../runs/waiting.ts';
import { fillIn, talk } from './talk.ts';
import { runTurn, type Candidate, type Place } from './turns.ts';

/** Messages shown when a conversation is continued. */
const SHOWN = 10;

export interface PlatformChat {
  client: Api;
  output: Output;
  context: CliContext;
  agent: string | undefined;
  threadId: string | undefined;
  inbox: Inbox;
}

export async function chatWithPlatform({ client, inbox, output, context, agent, threadId }: PlatformChat): Promise<number> {
  const card = agent === undefined ? undefined : await cardOf(client, agent);
  const terminal = new Terminal(context);
  const place: Place = { client, output, terminal, threadId, left: false };
  if (threadId !== undefined) await showMessages(client, threadId, output);
  try {
    return await talk({
      prompt: `${agent ?? 'svc'}> `,
      card: () => card,
      terminal,
      output,
      call: async (skill, args) => void (await runTurn(place, { agent, skill, args })),
      say: async (message) => await choose(place, await runTurn(place, { message })),
      commands: {
        '/thread': {
          help: 'its id',
          do: async () =>
            output.hint(
              place.threadId === undefined ? 'No message was sent yet.' : `svc chat${agent === undefined ? '' : ` ${agent}`} --thread ${place.threadId}`,
            ),
        },
        '/new': { help: 'start a new thread', do: async () => void (place.threadId = undefined) },
        '/waits': { help: 'what waits for you', do: async () => void (await askAll(client, await openWaits(inbox), output, context, terminal)) },
      },
      left: () => place.left,
    });
  } finally {
    terminal.close();
    if (place.threadId !== undefined)
      output.hint(output.dim(`Take it up again with: svc chat${agent === undefined ? '' : ` ${agent}`} --thread ${place.threadId}`));
  }
}

async function cardOf(client: Api, agent: string): Promise<AgentCard> {
  const { card } = await client.agents.get({ params: { name: agent } });
  if (!card) throw new CliError(`${agent} has no live deployment: deploy it first.`);
  return card;
}

async function showMessages(client: Api, threadId: string, output: Output): Promise<void> {
  const { items } = await client.chatThreads.messages({ params: { thread_id: threadId }, query: { limit: SHOWN } });
  for (const { role, text } of items.toReversed()) output.note(output.dim(role === 'user' ? `> ${plain(text)}` : forTerminal(text)));
}

/** What the platform suggests, to be picked from and filled in. */
async function choose(place: Place, candidates: readonly Candidate[]): Promise<void> {
  const { output, terminal } = place;
  if (candidates.length === 0) return;
  candidates.forEach(({ agent, skill, description }, i) => output.note(plain(`  ${i + 1}) ${agent}.${skill}${description === '' ? '' : `  ${description}`}`)));
  if (!terminal.interactive) return;
  const picked = candidates[Number((await terminal.line('Which one? (a number; Enter: none) ')) ?? '') - 1];
  if (!picked) return;
  const args = picked.missing.length > 0 ? await fillIn(place, picked.schema, picked.args) : picked.args;
  if (args) await runTurn(place, { agent: picked.agent, skill: picked.skill, args });
}
