// Calls with what their caller gets on the wire: core performs them, api/ says the rest.
import { hostAnswer, type HostAnswer, mcpAnswer, mcpHeaders, skillAnswer, type SkillAnswer } from '#api/http/call-answer.ts';
import { callAtHost as atHost, type HostCall } from '#core/runs/call/at-host.ts';
import { beginCalls, oneCall } from '#core/runs/call/begin.ts';
import type { Call } from '#core/runs/call/call.ts';
import { callTask as task } from '#core/runs/call/call-tasks.ts';
import { callTools as tools } from '#core/runs/call/call-tools.ts';
import { callMcp as overMcp, type McpIn } from '#core/runs/call/mcp.ts';
import { callSkill, type SkillIn } from '#core/runs/call/skill.ts';
import type { Ctx } from '#core/kernel/ctx.ts';

export const invokeSkill = async (ctx: Ctx, i: SkillIn & { name: string }): Promise<SkillAnswer> => skillAnswer(await callSkill(ctx, i));

export const callMcp = async (ctx: Ctx, i: McpIn): Promise<SkillAnswer> => mcpAnswer(await overMcp(ctx, { ...i, headers: mcpHeaders(i.headers) }));

export const callTools = async (ctx: Ctx, ...of: Rest<typeof tools>): Promise<HostAnswer> => hostAnswer(ctx, await tools(ctx, ...of));

export const callTask = async (ctx: Ctx, ...of: Rest<typeof task>): Promise<HostAnswer> => hostAnswer(ctx, await task(ctx, ...of));

type Rest<F extends (ctx: Ctx, ...of: never[]) => unknown> = F extends (ctx: Ctx, ...of: infer R) => unknown ? R : never;

export const callAtHost = async (ctx: Ctx, call: HostCall): Promise<HostAnswer> => hostAnswer(ctx, await atHost(ctx, call));

/** One that is under way, as far as the platform knows. */
export async function beginCall(ctx: Ctx, i: Parameters<typeof oneCall>[0]): Promise<{ call: Call; headers: Record<string, string> }> {
  const { calls, headers } = await beginCalls(ctx, oneCall(i));
  const [call] = calls.values();
  if (!call) throw new Error('no call has begun');
  return { call, headers };
}
