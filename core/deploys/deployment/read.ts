// Reading deployments: the list, one, its events as they happen, its log lines.
import type { z } from 'zod';
import type { AgentDeploymentLogsOut, AgentDeploymentOut } from '#contract/agents/agents.ts';
import type { JobEventOut } from '#contract/runs/work-ledger.ts';
import type { LogLine } from '#drivers/runtime/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { followJobEvents, jobEvents } from '../../jobs/retention/read.ts';
import { presentEvent } from '../../jobs/present-event.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { deploymentFor } from './find.ts';
import { waitsFor } from './not-taken.ts';
import { presentDeployment } from './present.ts';

interface One {
  name: string;
  deploy_id: string;
}

export async function listDeployments(ctx: Ctx, i: { name: string; limit: number }): Promise<z.infer<typeof AgentDeploymentOut>[]> {
  const agent = await agentFor(ctx.db, ctx.actor, 'deployment.read', i.name);
  const rows = await ctx.db('deployments').where({ agent_id: agent.agent_id }).orderBy('number', 'desc').limit(i.limit);
  return rows.map((row) => presentDeployment(i.name, row));
}

export async function getDeployment(ctx: Ctx, i: One): Promise<z.infer<typeof AgentDeploymentOut>> {
  const row = await deploymentFor(ctx.db, ctx.actor, 'deployment.read', i);
  return presentDeployment(i.name, row, await waitsFor(ctx, row));
}

/** Events of the deployment's job after `after`, until it has ended or the caller is gone. */
export async function followDeployment(ctx: Ctx, i: One & { after: number; signal: AbortSignal }): Promise<AsyncGenerator<z.infer<typeof JobEventOut>>> {
  const { job_id } = await deploymentFor(ctx.db, ctx.actor, 'deployment.read', i);
  return follow(ctx, job_id, i.after, i.signal);
}

async function* follow(ctx: Ctx, jobId: string, after: number, signal: AbortSignal): AsyncGenerator<z.infer<typeof JobEventOut>> {
  for await (const event of followJobEvents(ctx, jobId, after, signal)) yield presentEvent(event);
}

type Logs = z.infer<typeof AgentDeploymentLogsOut>;

/**
 * What the build, the platform and the agent itself wrote, oldest first; the runtime's part only while its
 * machine exists.
 */
export async function deploymentLogs(ctx: Ctx, i: One & { tail: number; cursor?: string | undefined }): Promise<Logs> {
  const deployment = await deploymentFor(ctx.db, ctx.actor, 'deployment.read', i);
  const seen = readCursor(i.cursor);
  const first = i.cursor === undefined;
  // A follower gets what came after its cursor, in order and without a gap; a first look the newest lines.
  const events = await jobEvents(ctx, deployment.job_id, first ? await beforeNewest(ctx, deployment.job_id, i.tail) : seen.job, i.tail);
  const instance = await ctx.db('instances').where({ deploy_id: i.deploy_id }).orderBy('created_at', 'desc').first('instance_id');
  const agentLines = instance ? await instanceLogs(ctx, instance.instance_id, first ? undefined : seen.agent - 1, i.tail) : [];
  const lines = [...events.flatMap(toLine), ...agentLines.map(fromAgent)];
  return {
    deploy_id: i.deploy_id,
    state: deployment.state,
    lines: first ? lines.slice(-i.tail) : lines,
    cursor: `${events.at(-1)?.seq ?? seen.job}.${(agentLines.at(-1)?.seq ?? seen.agent - 1) + 1}`,
  };
}

async function beforeNewest(ctx: Ctx, jobId: string, count: number): Promise<number> {
  const job = await ctx.db('jobs').where({ job_id: jobId }).first('last_seq');
  return Math.max(0, (job?.last_seq ?? 0) - count);
}

const linesAtOnce = 10_000;

/**
 * The next lines after `after`, or the newest ones. A host that is down hides the agent's lines, not the
 * build's.
 */
async function instanceLogs(ctx: Ctx, instanceId: string, after: number | undefined, limit: number): Promise<LogLine[]> {
  try {
    if (after !== undefined) return await ctx.drivers.runtime.logs(instanceId, { after, limit });
    let newest: LogLine[] = [];
    for (let more = true; more;) {
      const lines = await ctx.drivers.runtime.logs(instanceId, { after: newest.at(-1)?.seq ?? -1, limit: linesAtOnce });
      more = lines.length === linesAtOnce;
      newest = [...newest, ...lines].slice(-limit);
    }
    return newest;
  } catch {
    return [];
  }
}

function toLine(event: { kind: string; payload: unknown; at: Date }): Logs['lines'] {
  const payload = eventPayload(event.payload);
  if (event.kind === 'log') {
    const { at, stream, text } = payload;
    return [{ at: new Date(at ?? event.at).toISOString(), source: 'build', stream: stream ?? 'system', text: text ?? '' }];
  }
  // Stages tell the story; of the job's own events only a failure's reason adds to it.
  const text = event.kind === 'stage' ? payload.stage : payload.error?.message;
  return text === undefined ? [] : [{ at: event.at.toISOString(), source: 'platform', stream: 'system', text }];
}

interface LogPayload {
  at?: number;
  stream?: 'stdout' | 'stderr' | 'system';
  text?: string;
  stage?: string;
  error?: { message: string };
}

// Safe: the payloads of `log`, `stage` and `job.*` events are written by core/deploys/deployment and
// core/jobs only.
function eventPayload(payload: unknown): LogPayload {
  return payload as LogPayload;
}

function fromAgent(line: LogLine): Logs['lines'][number] {
  return { at: new Date(line.at).toISOString(), source: 'agent', stream: line.stream, text: line.text };
}

/** Of the job's last event seen, and the place of the agent's next line: those are counted from 0. */
/** Its form is the contract's. */
function readCursor(cursor = '0.0'): { job: number; agent: number } {
  const [job = 0, agent = 0] = cursor.split('.').map(Number);
  return { job, agent };
}
