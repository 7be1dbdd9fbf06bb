// The golden agent: one of everything a card can say.
import { Agent, skill, WorkspaceAccess, z } from '../typescript/index.ts';

export class Golden extends Agent {
  name = 'golden';
  description = 'One of everything a card can say: “quotes”, ünïcödé and a tab\t.';
  version = '1.2.3-rc.1+build.5';
  override requiredSecrets = ['API_TOKEN'];
  override requiredEnv = ['REGION'];
  override capabilities = { streaming: true, languages: ['en', 'de'] };
  override inputModes = ['application/json'];
  override outputModes = ['application/json', 'text/event-stream'];
  override toolsUsed = ['git', 'ripgrep'];
  override lifecycle = 'session' as const;
  override state = 'durable' as const;
  override resources = { cpu: '250m', memory: '512Mi', gpu: 0, maxRuntimeSeconds: 120 };
  override concurrency = 4;
  override egress = { allowHosts: ['api.example.com', '*.example.org'], allowInternalServices: ['search'] };
  override workspaceAccess = WorkspaceAccess.dynamic({ maxFiles: 5, allowedModes: ['read_only', 'read_write_overlay'], denyPatterns: ['**/.env'], requireHumanApproval: true });

  plain = skill({}, async () => null);

  search = skill(
    {
      name: 'search',
      description: 'Finds things.',
      tags: ['find', 'read'],
      scopes: ['items:read'],
      stream: true,
      timeoutSeconds: 12.5,
      idempotent: true,
      maxRetries: 2,
      costClass: 'cheap',
      allowScopeExpansion: true,
      input: z.object({
        query: z.string(),
        limit: z.int().default(10),
        exact: z.boolean().default(false),
        tags: z.array(z.string()).default([]),
        weight: z.number().nullable().default(null),
      }),
      output: z.array(z.string()),
    },
    async () => [],
  );
}
