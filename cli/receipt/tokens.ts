// Where a receipt to look at comes from: named by its id, given inline, in a file, or on standard input.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { ApiError } from '#contract/client.ts';
import type { Api } from '../lib/api.ts';
import { UsageError } from '../lib/errors.ts';

export interface ReceiptSource {
  id: string | undefined;
  token: string | undefined;
  agent: string | undefined;
  stdin: Readable;
  /** Asked only when the receipt is named by its id. */
  client: () => Api;
}

/** Tokens in the order given; several are separated by white space. */
export async function receiptTokens(source: ReceiptSource): Promise<string[]> {
  const { id, token } = source;
  if (token !== undefined && id !== undefined && id !== '-') throw new UsageError('Name a receipt by its id or give its token, not both.');
  const content = await given(id === '-' ? '-' : token, source.stdin);
  if (content !== undefined) return split(content);
  if (id === undefined) throw new UsageError('Name a receipt: its id, "-" for a token on standard input, or --token.');
  const name = source.agent ?? (await agentHere());
  const client = source.client();
  return [name === undefined ? await tokenOfOwn(client, id) : (await client.agentReceipts.get({ params: { name, receipt_id: id } })).token];
}

async function given(token: string | undefined, stdin: Readable): Promise<string | undefined> {
  if (token === '-' || token === '@-') return text(stdin);
  if (token?.startsWith('@'))
    return readFile(token.slice(1), 'utf8').catch(() => {
      throw new UsageError(`${token.slice(1)} cannot be read.`);
    });
  return token;
}

function split(content: string): string[] {
  const tokens = content.split(/\s+/).filter((token) => token !== '');
  if (tokens.length === 0) throw new UsageError('There is no receipt token in what was given.');
  return tokens;
}

/** The agent of the project in this folder; undefined outside of a project. */
export async function agentHere(): Promise<string | undefined> {
  const { readProject } = await import('../project/read.ts');
  return existsSync('svc.yaml') ? (await readProject('.')).manifest.name : undefined;
}

/** A receipt of one of the caller's own agents. @throws UsageError */
async function tokenOfOwn(client: Api, id: string): Promise<string> {
  for (const { name } of await client.agents.mineSummary()) {
    const receipt = await client.agentReceipts.get({ params: { name, receipt_id: id } }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    });
    if (receipt) return receipt.token;
  }
  throw new UsageError(`None of your agents has a receipt ${id}. Name another agent with --agent.`);
}
