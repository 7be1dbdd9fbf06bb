// Reports events of ADK to the caller as they come.
import type { RunContext } from '../../index.ts';
import { handedOff, record, toolFailed, toolFinished, toolStarted } from '../report.ts';

/** ADK asks by a call of this name. */
const CONFIRM = 'adk_request_confirmation';
/** ADK's own tool, reported as a handoff. */
const TRANSFER = 'transfer_to_agent';

export interface Confirmation {
  id: string;
  name: string;
  /** What is to be confirmed. */
  tool: string;
  args: unknown;
}

export async function followEvents(ctx: RunContext, events: AsyncIterable<unknown>): Promise<{ text: string; confirmations: Confirmation[] }> {
  let text = '';
  let inPieces = false;
  const confirmations: Confirmation[] = [];
  for await (const given of events) {
    const event = record(given);
    const { author, partial, content, actions, errorMessage, errorCode } = event;
    if (errorMessage !== undefined) throw new Error(`${String(errorCode)}: ${String(errorMessage)}`);
    const { parts } = record(content);
    const all = Array.isArray(parts) ? parts.map(record) : [];
    const eventText = all.map(({ text: piece, thought }) => (typeof piece === 'string' && thought !== true ? piece : '')).join('');
    // The whole text comes once more after its pieces.
    if (eventText !== '' && (partial === true || !inPieces)) await ctx.emitTextDelta(eventText);
    inPieces = eventText === '' ? inPieces : partial === true;
    if (partial === true) continue;
    if (eventText !== '') text = eventText;
    for (const part of all) await call(ctx, part, confirmations);
    const to = record(actions)['transferToAgent'];
    if (to !== undefined) await handedOff(ctx, author, to);
  }
  return { text, confirmations };
}

async function call(ctx: RunContext, { functionCall, functionResponse }: Record<string, unknown>, confirmations: Confirmation[]): Promise<void> {
  const { id, name, args } = record(functionCall);
  if (name === CONFIRM) {
    const { originalFunctionCall: original } = record(args);
    confirmations.push({ id: String(id), name, tool: String(record(original)['name']), args: record(original)['args'] });
  } else if (name !== undefined && name !== TRANSFER) await toolStarted(ctx, id, name, args);
  const { id: answered, name: tool, response } = record(functionResponse);
  if (tool === undefined || tool === CONFIRM || tool === TRANSFER) return;
  const { error } = record(response);
  await (error === undefined ? toolFinished : toolFailed)(ctx, answered, tool, error ?? response);
}
