// The workflows of an installation under trial, as an operator reaches them: listed, terminated, or all
// removed.
import { Client, Connection } from '@temporalio/client';
import { readRecord } from '#stack/records.ts';
import { places } from '#stack/settings.ts';
import type { World } from './world.ts';

type Of = Pick<World, 'i'>;

/** Their own schedules' workflows apart, which are the server's. */
export function openWorkflows(world: Of): Promise<string[]> {
  return withEngine(world, open);
}

/** False when none was open. */
export function terminateOne(world: Of, nth: number): Promise<boolean> {
  return withEngine(world, async (client) => {
    const ids = (await open(client)).sort();
    const id = ids[nth % Math.max(1, ids.length)];
    if (id === undefined) return false;
    await client.workflow.getHandle(id).terminate('the kill test');
    return true;
  });
}

/** As a server that came back without its data: it knows none of ours. False when it knew none before. */
export function forgetAll(world: Of): Promise<boolean> {
  return withEngine(world, async (client) => {
    let some = false;
    for await (const { workflowId, runId, type } of client.workflow.list()) {
      if (type.startsWith('temporal-sys')) continue;
      some = true;
      await client.workflowService.deleteWorkflowExecution({ namespace: client.options.namespace, workflowExecution: { workflowId, runId } });
    }
    return some;
  });
}

async function open(client: Client): Promise<string[]> {
  const ids: string[] = [];
  for await (const { workflowId, type } of client.workflow.list({ query: "ExecutionStatus = 'Running'" }))
    if (!type.startsWith('temporal-sys')) ids.push(workflowId);
  return ids;
}

async function withEngine<T>({ i }: Of, work: (client: Client) => Promise<T>): Promise<T> {
  const address = readRecord(places(i.stateDir).run, 'temporal')?.address?.split(' ')[0] ?? '';
  const connection = await Connection.connect({ address, connectTimeout: '5s' });
  try {
    return await work(new Client({ connection, namespace: 'svc' }));
  } finally {
    await connection.close();
  }
}
