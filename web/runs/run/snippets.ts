// The same call as text that works when it is pasted.
export interface CallToCopy {
  origin: string;
  agent: string;
  skill: string;
  args: Record<string, unknown>;
}

/** In single quotes, as shells read it. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export function curlOf({ origin, agent, skill, args }: CallToCopy): string {
  const url = `${origin}/v1/agents/${encodeURIComponent(agent)}/api/runs/${encodeURIComponent(skill)}/start`;
  return [
    `curl -X POST ${quoted(url)}`,
    `-H "authorization: Bearer $SVC_TOKEN"`,
    `-H 'content-type: application/json'`,
    `-d ${quoted(JSON.stringify(args))}`,
  ].join(' \\\n  ');
}

export function cliOf({ agent, skill, args }: CallToCopy): string {
  return `svc call ${quoted(agent)} ${quoted(skill)} --json ${quoted(JSON.stringify(args))} --durable`;
}

export function typescriptOf({ origin, agent, skill, args }: CallToCopy): string {
  const input = JSON.stringify(args, null, 2).replaceAll('\n', '\n  ');
  return `import { createClient } from '@svc/client';

const api = createClient({ baseUrl: ${JSON.stringify(origin)}, token: process.env.SVC_TOKEN });
const run = await api.agents.startRun({
  params: { name: ${JSON.stringify(agent)}, skill_name: ${JSON.stringify(skill)} },
  body: ${input},
});
console.log(run.run_id);
`;
}
