import { describe, expect, it } from 'vitest';
import { AgentCard } from './card.ts';
import { cpuMillis, memoryMib } from './resources.ts';
import { cites } from '#test/spec/verifies.ts';

describe('agent card', () => {
  it('has the defaults of the specification', cites('card.fields', 'resources.gpu'), () => {
    const card = AgentCard.parse({ name: 'a', description: '', version: '1.0.0', skills: [{ id: 's', name: 's', input_schema: {}, output_schema: {} }] });
    expect(card).toEqual({
      name: 'a',
      description: '',
      version: '1.0.0',
      skills: [
        {
          id: 's',
          name: 's',
          description: '',
          tags: [],
          scopes: [],
          stream: false,
          policy: { timeout_seconds: null, idempotent: false, max_retries: 0, cost_class: null, allow_scope_expansion: false },
          input_schema: {},
          output_schema: {},
        },
      ],
      capabilities: {},
      input_modes: [],
      output_modes: [],
      required_secrets: [],
      required_env: [],
      runtime: {
        lifecycle: 'ephemeral',
        state: 'stateless',
        sandbox: 'microvm',
        resources: { cpu: '100m', memory: '256Mi', gpu: 0, max_runtime_seconds: 600 },
        concurrency: 1,
        egress: { allow_hosts: [], allow_internal_services: [], deny_internet_by_default: true },
        tools_used: [],
      },
      state_schema: null,
      workspace_access: {
        enabled: false,
        max_files: 0,
        allowed_modes: [],
        require_reason: true,
        deny_patterns: [],
        require_human_approval: false,
        max_total_size_bytes: 104857600,
      },
    });
  });

  it('knows one isolation only', cites('service.isolation'), () => {
    const card = { name: 'a', description: '', version: '1.0.0', skills: [] };
    expect(AgentCard.safeParse({ ...card, runtime: { sandbox: 'container' } }).success).toBe(false);
    expect(AgentCard.safeParse({ ...card, name: 'a.b' }).success).toBe(false);
    expect(AgentCard.safeParse({ ...card, name: '-a' }).success).toBe(false);
  });

  it('turns quantities into numbers', () => {
    expect([cpuMillis('100m'), cpuMillis('2'), cpuMillis('0.5')]).toEqual([100, 2000, 500]);
    expect([memoryMib('256Mi'), memoryMib('1Gi'), memoryMib('1500Ki')]).toEqual([256, 1024, 2]);
  });
});
