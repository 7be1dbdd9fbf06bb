// `svc chat` in a project: the agent on this machine, with its resources, reloaded when files are saved, and
// a conversation with it.
import { AgentEvent, FailedPayload, ResultPayload } from '#contract/wire/events.ts';
import { Terminal } from '../ask/terminal.ts';
import { waitOf } from '../call/attached.ts';
import { failureMessage, Printer } from '../call/printer.ts';
import type { CliContext } from '../lib/context.ts';
import { CliError } from '../lib/errors.ts';
import { isPassing } from '../lib/follow.ts';
import { plain, type Output } from '../lib/output.ts';
import { readEnvFile } from '../project/env-file.ts';
import { hostProject } from '../project/host.ts';
import { readProject } from '../project/read.ts';
import { Desk } from '../runs/desk.ts';
import type { Wait } from '../runs/model.ts';
import type { Decision, Sent } from '../runs/send.ts';
import { readEvents } from '../lib/sse.ts';
import { talk } from './talk.ts';

export interface LocalChat {
  folder: string;
  host: string;
  port: number;
  reload: boolean;
  workspace: string | undefined;
  /** Settings of its resources; go before the environment's. */
  settings: Record<string, string>;
  envFile: { path: string; named: boolean };
  output: Output;
  context: CliContext;
}

interface Line {
  url: string;
  key: string | undefined;
  output: Output;
  terminal: Terminal;
}

export async function chatLocally(chat: LocalChat): Promise<number> {
  const { output, context } = chat;
  const { folder, manifest } = await readProject(chat.folder);
  const env = { ...(await readEnvFile(folder, chat.envFile)), ...process.env, ...chat.settings };
  const terminal = new Terminal(context);
  const hosted = await hostProject({
    ...chat,
    folder,
    entrypoint: manifest.entrypoint,
    env,
    note: (text) => terminal.interject(text),
    complain: (text) => terminal.interject(text),
  });
  // While nothing runs, Ctrl-C ends the conversation, and the agent with it.
  const end = (): void => terminal.close();
  process.on('SIGINT', end).on('SIGTERM', end);
  try {
    output.note(`${manifest.name} ${manifest.version} serves ${hosted.url}${chat.reload ? '; changed files are reloaded' : ''}`);
    const line = { url: hosted.url, key: env.SVC_API_KEY || undefined, output, terminal };
    return await talk({
      prompt: `${manifest.name}> `,
      card: hosted.card,
      terminal,
      output,
      call: (skill, args) => invoke(line, skill, args),
      say: async () => output.note('Start with the name of a tool; /help lists them.'),
      left: () => false,
    });
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    terminal.close();
    await hosted.close();
  }
}

async function invoke(line: Line, skill: string, args: Record<string, unknown>): Promise<void> {
  const { url, output, terminal } = line;
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  const others = process.listeners('SIGINT');
  for (const listener of others) process.off('SIGINT', listener);
  process.on('SIGINT', interrupt);
  const desk = new Desk({
    output,
    terminal,
    // Without a terminal the next lines of the input are the answers.
    asks: true,
    send: (wait, decision) => settle(line, wait, decision),
    unanswered: ({ prompt }) => {
      throw new CliError(`The input ended before an answer to: ${plain(prompt)}`);
    },
  });
  try {
    // On a connection of its own: a kept one may lead to a process that a change has just replaced.
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream', connection: 'close', ...authorization(line) };
    const response = await fetch(`${url}/invoke/${skill}`, { method: 'POST', body: JSON.stringify(args), signal: stop.signal, headers });
    if (!response.ok) throw new CliError(messageIn(await response.text()));
    await Promise.race([show(response, skill, output, desk), desk.failed]);
  } catch (error) {
    if (isPassing(error)) throw new CliError('The agent ended before it had answered; see above why.', undefined, { cause: error });
    if (!stop.signal.aborted) throw error;
    output.note('\nCancelled.');
  } finally {
    stop.abort();
    desk.close();
    process.off('SIGINT', interrupt);
    for (const listener of others) process.on('SIGINT', listener);
  }
}

async function show(response: Response, skill: string, output: Output, desk: Desk): Promise<void> {
  const printer = new Printer(output);
  try {
    for await (const { data } of readEvents(response)) {
      const event = AgentEvent.parse(data);
      const wait = waitOf(event);
      if (wait) {
        printer.end();
        desk.opened(wait);
      } else if (event.kind === 'result') {
        printer.end();
        const { result } = ResultPayload.parse(event.payload);
        output.line(output.json ? JSON.stringify({ skill, result }) : JSON.stringify(result, null, 2));
      } else if (event.kind === 'failed') throw new CliError(failureMessage(FailedPayload.parse(event.payload)));
      else printer.show(event);
    }
  } finally {
    printer.end();
  }
}

/** To the agent itself: here it is its own platform. */
async function settle(line: Line, wait: Wait, decision: Decision): Promise<Sent> {
  const form =
    'answer' in decision ? { answer: decision.answer } : decision.decision === 'approve' ? { approved: true } : { denied: { reason: decision.reason } };
  const path = 'answer' in decision ? 'answers' : 'scope-grants';
  const headers = { 'content-type': 'application/json', connection: 'close', ...authorization(line) };
  const response = await fetch(`${line.url}/${path}/${wait.wait_id}`, { method: 'POST', body: JSON.stringify(form), headers });
  if (response.ok) return { is: 'taken' };
  const says = messageIn(await response.text());
  return response.status === 404 || response.status === 410 ? { is: 'too late', says } : { is: 'refused', says };
}

function authorization({ key }: Line): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}

function messageIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : undefined;
    if (typeof detail === 'object' && detail !== null && 'message' in detail) return String(detail.message);
  } catch {
    // Said as it is.
  }
  return text.slice(0, 500);
}
