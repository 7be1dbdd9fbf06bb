import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AgentCard } from '../../../contract/wire/card.ts';
import { Agent } from './agent.ts';
import { declare } from './declare.ts';
import { AgentDeclarationError } from './errors.ts';
import { WorkspaceAccess } from './policies.ts';
import { skill } from './skill.ts';
import { cites } from '../../../test/spec/verifies.ts';

abstract class Base extends Agent {
  name = 'sample';
  description = 'For tests.';
  version = '1.0.0';
}

/** A cast on purpose: authors in plain JavaScript, or who run no compiler, declare values of any type. */
function fromJavaScript<T>(value: unknown): T {
  return value as T;
}

function problemsOf(agent: Agent): string[] {
  try {
    declare(agent);
  } catch (error) {
    if (error instanceof AgentDeclarationError) return error.problems.map(({ attribute, message }) => `${attribute}: ${message}`);
    throw error;
  }
  return [];
}

describe('an agent as its card', () => {
  it('carries every attribute and skill parameter in wire names', cites('class.attributes', 'skill.parameters', 'class.required_env'), () => {
    class Full extends Base {
      override requiredSecrets = ['TOKEN'];
      override requiredEnv = ['REGION'];
      override capabilities = { streaming: true };
      override inputModes = ['application/json'];
      override outputModes = ['text/plain'];
      override workspaceAccess = WorkspaceAccess.dynamic({ denyPatterns: ['secret/**'] });
      override egress = { allowHosts: ['api.example.com'] };
      override toolsUsed = ['git'];
      override lifecycle = 'session' as const;
      override state = 'durable' as const;
      override stateSchema = z.object({ seen: z.int() });
      override resources = { cpu: '2', memory: '1Gi', maxRuntimeSeconds: 30 };
      override concurrency = 3;
      look = skill(
        {
          name: 'look-up',
          description: 'Looks.',
          tags: ['a'],
          scopes: ['b'],
          stream: true,
          timeoutSeconds: 1.5,
          idempotent: true,
          maxRetries: 2,
          costClass: 'cheap',
          allowScopeExpansion: true,
          input: z.object({ query: z.string().describe('What for.'), limit: z.int().default(10), exact: z.boolean().optional() }),
          output: z.array(z.string()),
        },
        async () => [],
      );
    }
    const { card } = declare(new Full());
    expect(AgentCard.parse(JSON.parse(JSON.stringify(card)))).toEqual(card);
    expect(card).toMatchObject({
      required_secrets: ['TOKEN'],
      required_env: ['REGION'],
      capabilities: { streaming: true },
      input_modes: ['application/json'],
      output_modes: ['text/plain'],
      state_schema: { type: 'object', properties: { seen: { type: 'integer' } } },
      workspace_access: { enabled: true, max_files: 25, allowed_modes: ['read_only'], deny_patterns: ['secret/**'], max_total_size_bytes: 104857600 },
      runtime: {
        lifecycle: 'session',
        state: 'durable',
        sandbox: 'microvm',
        concurrency: 3,
        resources: { cpu: '2', memory: '1Gi', gpu: 0, max_runtime_seconds: 30 },
        egress: { allow_hosts: ['api.example.com'], allow_internal_services: [], deny_internet_by_default: true },
        tools_used: ['git'],
      },
    });
    expect(card.skills).toEqual([
      {
        id: 'look-up',
        name: 'look-up',
        description: 'Looks.',
        tags: ['a'],
        scopes: ['b'],
        stream: true,
        policy: { timeout_seconds: 1.5, idempotent: true, max_retries: 2, cost_class: 'cheap', allow_scope_expansion: true },
        input_schema: {
          type: 'object',
          properties: { query: { type: 'string', description: 'What for.' }, limit: { type: 'integer', default: 10 }, exact: { type: 'boolean' } },
          required: ['query'],
          additionalProperties: false,
        },
        output_schema: { type: 'array', items: { type: 'string' } },
      },
    ]);
  });

  it('leaves everything else to the defaults', cites('class.attributes'), () => {
    class Plain extends Base {
      go = skill({}, async () => 'gone');
    }
    const { card } = declare(new Plain());
    expect(card).toMatchObject({ workspace_access: { enabled: false }, runtime: { concurrency: 1, resources: { cpu: '100m', memory: '256Mi' } } });
    expect(card.skills[0]).toMatchObject({
      id: 'go',
      input_schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
      output_schema: {},
    });
  });
});

describe('the rules, with what to do about each', () => {
  const broken: [string, Agent, RegExp][] = [
    ['no skills', new (class extends Base {})(), /^class: no skills: add a field/],
    [
      'a synchronous handler',
      new (class extends Base {
        go = skill({}, () => Promise.resolve(1));
      })(),
      /^go: the handler must be asynchronous/,
    ],
    [
      'a bad skill name',
      new (class extends Base {
        go = skill({ name: 'a b' }, async () => 1);
      })(),
      /^go: the name must start with a letter/,
    ],
    [
      'the name of the tool that answers questions',
      new (class extends Base {
        answer_question = skill({}, async () => 1);
      })(),
      /^answer_question: "answer_question" is the tool by which MCP clients answer/,
    ],
    [
      'two of one name',
      new (class extends Base {
        a = skill({ name: 'x' }, async () => 1);
        b = skill({ name: 'x' }, async () => 1);
      })(),
      /^b: two skills are named "x"/,
    ],
    [
      'variadic input',
      new (class extends Base {
        go = skill({ input: z.looseObject({}) }, async () => 1);
      })(),
      /^go: input must name its members/,
    ],
    [
      'input that is no JSON',
      new (class extends Base {
        go = skill({ input: z.object({ at: z.date() }) }, async () => 1);
      })(),
      /^go: its schema cannot be published.*z\.iso\.datetime/,
    ],
    [
      'a timeout of nothing',
      new (class extends Base {
        go = skill({ timeoutSeconds: 0 }, async () => 1);
      })(),
      /^go: timeoutSeconds: Too small/,
    ],
    [
      'a bad name',
      new (class extends Base {
        override name = 'Not Good';
        go = skill({}, async () => 1);
      })(),
      /^name: use lower-case/,
    ],
    [
      'a bad version',
      new (class extends Base {
        override version = '1';
        go = skill({}, async () => 1);
      })(),
      /^version: use a semantic version/,
    ],
    [
      'a policy that is no object, as plain JavaScript may have it',
      new (class extends Base {
        override workspaceAccess = fromJavaScript<WorkspaceAccess>('read_write');
        go = skill({}, async () => 1);
      })(),
      /^workspaceAccess: use WorkspaceAccess\.dynamic/,
    ],
    [
      'no concurrency',
      new (class extends Base {
        override concurrency = 0;
        go = skill({}, async () => 1);
      })(),
      /^concurrency: /,
    ],
    [
      'bad memory',
      new (class extends Base {
        override resources = { memory: '256' };
        go = skill({}, async () => 1);
      })(),
      /^resources\.memory: use Ki, Mi or Gi/,
    ],
  ];
  it.each(broken)('%s', cites('versioning.semver'), (_, agent, message) => {
    expect(problemsOf(agent)).toEqual([expect.stringMatching(message)]);
  });

  it('are all reported at once', cites('skill.rules'), () => {
    class Bad extends Base {
      override version = 'x';
      a = skill({ timeoutSeconds: -1 }, async () => 1);
      b = skill({ input: z.looseObject({}) }, async () => 1);
    }
    expect(problemsOf(new Bad())).toHaveLength(3);
  });
});
