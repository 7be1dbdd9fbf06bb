import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Agent } from '../authoring/agent.ts';
import { AgentDeclarationError } from '../authoring/errors.ts';
import { skill } from '../authoring/skill.ts';
import { testAgent } from '../testing.ts';
import { IdSource } from './ids.ts';
import { createLog, stderrSink } from './log.ts';
import { cites } from '../../../test/spec/verifies.ts';

const Config = z.object({ greeting: z.string(), times: z.int().default(2) });

class Configured extends Agent<z.infer<typeof Config>> {
  name = 'configured';
  description = 'For tests.';
  version = '1.0.0';
  override configModel = Config;
  override requiredSecrets = ['TOKEN'];
  greet = skill({}, async () => this.config.greeting.repeat(this.config.times));
  tells = skill({}, async (ctx) => {
    ctx.log.info('calling', { header: `Bearer ${ctx.secret('TOKEN')}` });
  });
}

describe('configuration', () => {
  it('is checked, defaulted and found on the agent', cites('class.config'), async () => {
    expect((await testAgent(Configured, { config: { greeting: 'ho' } }).invoke('greet', {})).result).toBe('hoho');
  });

  it('is refused before anything starts when it does not fit', () => {
    expect(() => testAgent(Configured, { config: { times: 'x' } })).toThrow(AgentDeclarationError);
    expect(() => testAgent(Configured)).toThrow(/config: greeting/);
  });

  it('does not exist while fields are initialised, and says so', () => {
    class Early extends Configured {
      early = this.config.greeting;
    }
    expect(() => new Early()).toThrow(/read it inside a skill or startup/);
  });
});

describe('the log', () => {
  it('warns of a required secret that is missing', cites('class.secrets'), () => {
    const { log } = testAgent(Configured, { config: { greeting: '' } });
    expect(log).toEqual([expect.objectContaining({ level: 'warn', message: 'the required secret "TOKEN" is not set' })]);
  });

  it('blots out the values of secrets, also as JSON writes them', cites('run.secret'), () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const secrets = { A: 'hunter2-"quoted"', B: 'no' };
    createLog(stderrSink(() => secrets)).error(`it is ${secrets.A}`, { nested: [{ value: secrets.A }], big: 1n });
    const [line] = write.mock.calls.map(([text]) => String(text));
    write.mockRestore();
    expect(line).not.toContain('hunter2');
    expect(JSON.parse(line ?? '')).toMatchObject({ level: 'error', message: 'it is ***', nested: [{ value: '***' }], big: '1' });
  });
});

describe('ids', () => {
  it('are version 7, sort by time and do not repeat', () => {
    const ids = new IdSource();
    const many = Array.from({ length: 1000 }, () => ids.uuid());
    expect(new Set(many).size).toBe(1000);
    for (const id of many) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const times = many.map((id) => id.slice(0, 13));
    expect(times.toSorted()).toEqual(times);
  });
});
