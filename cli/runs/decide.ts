// What a run waits for, put to the person at the terminal.
import { askForm, NoAnswer } from '../ask/form.ts';
import type { Terminal } from '../ask/terminal.ts';
import { plain } from '../lib/output.ts';
import { approvalLines } from './approval.ts';
import type { Wait } from './model.ts';
import type { Answer, Decision } from './send.ts';

/** @throws NoAnswer, the signal's reason */
export async function decide(terminal: Terminal, wait: Wait, signal?: AbortSignal): Promise<Decision> {
  terminal.say(`? ${plain(promptOf(wait))}`);
  if (wait.kind === 'scope_request' || wait.kind === 'handoff_approval') {
    for (const line of [...requestLines(wait), ...(wait.approval ? approvalLines(wait.approval) : [])]) terminal.say(`  ${plain(line)}`);
    return await approve(terminal, signal);
  }
  if (wait.schema) return { answer: await formAnswer(terminal, wait.schema, signal) };
  for (;;) {
    const text = await terminal.line('> ', signal);
    if (text === undefined) throw new NoAnswer();
    if (text !== '') return { answer: text };
  }
}

/** Says who asks where that is not the agent that was called. */
export function promptOf({ prompt, agent, skill, called_by: by = [] }: Wait): string {
  return by.length === 0 ? prompt : `${agent}/${skill}, called by ${by.join(' and then ')}, asks: ${prompt}`;
}

async function approve(terminal: Terminal, signal?: AbortSignal): Promise<Decision> {
  for (;;) {
    const text = await terminal.line('Approve? (yes or no) ', signal);
    if (text === undefined) throw new NoAnswer();
    if (/^y(?:es)?$/i.test(text.trim())) return { decision: 'approve' };
    if (!/^no?$/i.test(text.trim())) continue;
    return { decision: 'deny', reason: (await terminal.line('Why not? (sent to the skill; Enter to send none) ', signal)) ?? '' };
  }
}

async function formAnswer(terminal: Terminal, schema: Record<string, unknown>, signal?: AbortSignal): Promise<Answer> {
  const value = await askForm(terminal, schema, signal);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? { ...value } : JSON.stringify(value);
}

/** What would be allowed, in words a person decides by. */
function requestLines({ kind, request = {} }: Wait): string[] {
  const list = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(', ') : '');
  if (kind === 'scope_request') {
    const { read, write_prefix: prefix, mode, ttl_seconds: seconds, files, reason } = request;
    return [
      typeof reason === 'string' && reason !== '' ? `because: ${reason}` : '',
      list(read) && `to read: ${list(read)}`,
      Array.isArray(files) && files.length > 0
        ? `that is now: ${files.slice(0, 10).map(nameOf).join(', ')}${files.length > 10 ? ` and ${files.length - 10} more` : ''}`
        : '',
      typeof prefix === 'string' ? `to write below: ${prefix}` : '',
      mode === 'read_write_overlay' ? 'changes are staged and shown before they take effect' : '',
      typeof seconds === 'number' ? `for ${seconds} seconds` : '',
    ].filter((line) => line !== '');
  }
  return Object.entries(request)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
}

function nameOf(file: unknown): string {
  return typeof file === 'object' && file !== null && 'path' in file ? String(file.path) : '';
}
