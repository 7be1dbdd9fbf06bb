// Agents of a team in one process, as the runtime serves them: each on the socket of its instance. argv: JSON
// of { url, agents: [{ name, socket, key }] }.
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { controlPlane } from '#sdk/typescript/platform/control-plane.ts';
import { startAgent } from '#sdk/typescript/runtime/start.ts';

export interface TeamAgents {
  url: string;
  /** `key`: of grants that are addressed to it, base64url. */
  agents: { name: string; socket: string; key: string }[];
}

class Member extends Agent {
  override readonly name: string;
  description = 'For measurements.';
  version = '1.0.0';
  constructor(name: string) {
    super();
    this.name = name;
  }

  /** Waits for so many milliseconds; says when it began and ended, by the machine's clock. */
  work = skill({ input: z.object({ ms: z.number() }), output: z.object({ began: z.number(), ended: z.number() }) }, async (_ctx, { ms }) => {
    const began = Date.now();
    await pause(ms);
    return { began, ended: Date.now() };
  });
}

// Safe: team.ts is who starts this.
const { url, agents } = JSON.parse(process.argv[2] ?? '') as TeamAgents;
for (const { name, socket, key } of agents) {
  await startAgent(new Member(name), {
    platform: controlPlane({ url, grantKey: key, agentsDomain: 'agents.test' }),
    apiKey: 'the-key',
    listen: { path: socket },
    onLog: () => undefined,
  });
}
process.send?.('ready');
