// Keeps the history of a workflow as a file for replay tests, when asked to by RECORD_HISTORIES=1. What was
// recorded once stays: workflows that began with that code may still be open. A history that goes another way
// gets a number of its own beside it.
import { readFile, writeFile } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { shapeOf } from './history-shape.ts';

/**
 * `name` is `<workflow type>.<what happened>`. The run must have closed; names and paths of this machine are
 * taken out. `executionId`: of its lives, one that is not the last.
 */
export async function recordHistory(client: Client, workflowId: string, name: string, executionId?: string): Promise<void> {
  if (process.env.RECORD_HISTORIES !== '1') return;
  const handle = client.workflow.getHandle(workflowId, executionId);
  await handle.result().catch(() => undefined);
  const json = anonymous(historyToJSON(await handle.fetchHistory()));
  for (let n = 1; ; n += 1) {
    const file = new URL(`../../workflows/histories/${n === 1 ? name : `${name}.${n}`}.json`, import.meta.url);
    const known = await readFile(file, 'utf8').catch(() => undefined);
    if (known === undefined) return writeFile(file, `${json}\n`);
    if (shapeOf(JSON.parse(known)) === shapeOf(JSON.parse(json))) return;
  }
}

function anonymous(json: string): string {
  return json
    .replace(/"identity": "[^"]*"/g, '"identity": "recorded"')
    .replace(/"stackTrace": "(?:[^"\\]|\\.)*"/g, '"stackTrace": ""')
    .replace(/"name": "\d+@[^"]*"/g, '"name": "sticky"');
}
