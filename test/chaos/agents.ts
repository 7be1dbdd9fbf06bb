// The agents of a trial. Every step leaves a line in a file outside, before it is done: a step that is done
// twice is seen there.
import { MODEL, REQUESTS, RUN_BUDGET_MICROS } from './models.ts';

const source = (className: string, name: string): string => `import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, ModelFailed, skill, z } from '@svc/sdk';

const token = z.string();
const marks = z.string();
const mark = (file: string, id: string, step: string): void => appendFileSync(file, \`\${id} ${name} \${step}\\n\`);

export class ${className} extends Agent {
  override name = '${name}';
  override description = 'Does a little, and says so outside';
  override version = '1.0.0';
  override concurrency = 32;

  ask = skill({ input: z.object({ token, marks }), output: z.object({ answer: z.string() }) }, async (ctx, i) => {
    mark(i.marks, i.token, 'ask.begun');
    const answer = await ctx.ask(\`Which, \${i.token}?\`, 600);
    mark(i.marks, i.token, 'ask.answered ' + answer);
    return { answer };
  });

  steps = skill({ input: z.object({ token, marks, count: z.number().int(), delay: z.number().int() }), output: z.object({ sum: z.number() }), stream: true }, async (ctx, i) => {
    let sum = 0;
    for (let n = 1; n <= i.count; n += 1) {
      mark(i.marks, i.token, \`steps.\${n}\`);
      await ctx.emitTextDelta(\`\${i.token}:\${n} \`);
      await sleep(i.delay);
      sum += n;
    }
    return { sum };
  });

  scope = skill({ input: z.object({ token, marks }), output: z.object({ got: z.string() }), allowScopeExpansion: true }, async (ctx, i) => {
    mark(i.marks, i.token, 'scope.begun');
    try {
      const grant = await ctx.requestScope({ reason: i.token, writePrefix: 'out', mode: 'read_write_overlay', timeoutSeconds: 600 });
      mark(i.marks, i.token, 'scope.approved');
      return { got: grant.audience };
    } catch (error) {
      mark(i.marks, i.token, 'scope.denied');
      return { got: error instanceof Error ? error.name : 'error' };
    }
  });

  relay = skill({ input: z.object({ token, marks, to: z.string(), count: z.number().int() }), output: z.object({ answer: z.string() }) }, async (ctx, i) => {
    mark(i.marks, i.token, 'relay.begun');
    const { result } = await ctx.call(i.to, i.count === 0 ? 'ask' : 'steps', { token: i.token, marks: i.marks, ...(i.count === 0 ? {} : { count: i.count, delay: 100 }) }, { timeoutSeconds: 600 });
    mark(i.marks, i.token, 'relay.ended');
    return { answer: JSON.stringify(result) };
  });

  model = skill({ input: z.object({ token, marks }), output: z.object({ ended: z.array(z.string()) }), stream: true }, async (ctx, i) => {
    const ask = async (n: number): Promise<string> => {
      mark(i.marks, i.token, \`model.\${n}\`);
      let ended: string;
      try {
        const stream = ctx.llm.stream(\`\${i.token}:\${n}\`, { maxTokens: 40 });
        for await (const delta of stream) await ctx.emitTextDelta(\`\${i.token}:\${n}:\${delta}\`);
        ended = (await stream.result()).finishReason;
      } catch (error) {
        if (!(error instanceof ModelFailed)) throw error;
        ended = error.modelCode;
      }
      mark(i.marks, i.token, \`model.\${n}.\${ended}\`);
      return ended;
    };
    return { ended: await Promise.all(Array.from({ length: ${REQUESTS} }, (_, n) => ask(n + 1))) };
  });

  toil = skill({ input: z.object({ goal: z.string(), token, marks, delay: z.number().int(), items: z.array(z.number().int()), results: z.array(z.object({ sum: z.number() })).optional() }), output: z.object({ sum: z.number() }) }, async (ctx, i) => {
    // Two members of a team may be asked the same of one agent: each is a run.
    const [what = ''] = i.goal.split('\\n');
    let sum = 0;
    for (const [n, one] of (i.results?.map((before) => before.sum) ?? i.items).entries()) {
      mark(i.marks, i.token, 'toil.' + n + ' ' + ctx.runId + ' ' + what);
      await sleep(i.delay);
      sum += one;
    }
    return { sum };
  });

  echo = skill({ input: z.object({ text: z.string().max(200), count: z.number().int().min(0).max(9) }), output: z.object({ text: z.string() }) }, async (_ctx, i) => ({ text: i.text.slice(0, i.count) }));

  review = skill({ input: z.object({ job_id: z.string(), agent: z.string(), skills: z.array(z.string()), card: z.record(z.string(), z.unknown()), findings: z.array(z.record(z.string(), z.unknown())) }), output: z.object({ findings: z.array(z.string()) }) }, async () => ({ findings: [] }));

  on_email = skill({ input: z.object({ subject: z.string(), body: z.string() }), output: z.object({ body: z.string() }) }, async (_ctx, i) => {
    mark(i.body.trim(), i.subject, 'mail');
    return { body: 'answer to ' + i.subject };
  });
}
`;

export function agentFiles(name: string, version = '1.0.0'): Record<string, string> {
  return {
    'svc.yaml': `name: ${name}\nversion: ${version}\nentrypoint: agent:Chaos\nmodels:\n  default: ${MODEL}\n  run_budget_micros: ${RUN_BUDGET_MICROS}\n`,
    'agent.ts': source('Chaos', name).replace("version = '1.0.0'", `version = '${version}'`),
    'package.json': JSON.stringify({ name, version, type: 'module', private: true }),
  };
}

/** One that its owner lets heal itself. `broken`: its skill fails. */
export function workerFiles(name: string, version: string, { broken = false } = {}): Record<string, string> {
  const body = broken ? `throw new Error('broken on purpose');` : `return { done: '${version}' };`;
  return {
    'svc.yaml': `name: ${name}\nversion: ${version}\nentrypoint: agent:Worker\nself_healing:\n  cooldown_seconds: 60\n`,
    'agent.ts': `import { Agent, skill, z } from '@svc/sdk';

export class Worker extends Agent {
  override name = '${name}';
  override description = 'Works, or does not';
  override version = '${version}';
  work = skill({ input: z.object({}), output: z.object({ done: z.string() }) }, async () => {
    ${body}
  });
}
`,
    'package.json': JSON.stringify({ name, version, type: 'module', private: true }),
  };
}
