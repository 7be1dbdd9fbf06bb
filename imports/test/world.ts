// A platform with the process that serves imported agents, both in this process.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pino } from 'pino';
import { routeChannel } from '#core/agents/route/changed.ts';
import { startListener } from '#core/jobs/wakeups.ts';
import { invokeSkill } from '#test/support/calls.ts';
import type { SkillAnswer } from '#api/http/call-answer.ts';
import { importsSocket } from '#drivers/runtime/sockets.ts';
import { type ContextOptions, testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { startImportServer } from '../server.ts';

export interface ImportWorld extends TestContext {
  call(user: TestUser, name: string, skill: string, args: Record<string, unknown>, accept?: string): Promise<SkillAnswer>;
}

export async function importWorld(options: ContextOptions): Promise<ImportWorld> {
  const it = await testContext(options);
  const socket = importsSocket(it.stateDir);
  await mkdir(dirname(socket), { recursive: true });
  const server = await startImportServer(it.ctx, pino({ level: 'silent' }), socket);
  const listener = await startListener(it.databaseUrl, [routeChannel]);
  listener.on(routeChannel, (agentName) => server.changed(agentName));
  const here = new AbortController().signal;
  return {
    ...it,
    call: (user, name, skill_name, args, accept) => invokeSkill(user, { name, skill_name, args, accept, signal: here }),
    close: async () => {
      await listener.close();
      await server.close();
      await it.close();
    },
  };
}
