import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Agent } from '../../authoring/agent.ts';
import { skill } from '../../authoring/skill.ts';
import { serve } from '../../test/serve.ts';

const Flight = z.object({
  to: z
    .string()
    .describe('Where to.')
    .meta({ examples: ['Rome', 'Riga', 'Oslo'] }),
  seat: z.enum(['aisle', 'window']),
  nights: z.int().min(1).optional(),
  refund: z.boolean().default(false),
});

class Travel extends Agent {
  name = 'travel';
  description = 'For tests.';
  version = '1.0.0';
  book = skill({ description: 'Books a flight.', input: Flight }, async () => 'booked');
  list = skill({ description: 'Lists flights.' }, async () => []);
  stop = skill({ description: 'Names a stop.', input: z.object({ code: z.literal(Array.from({ length: 130 }, (_, n) => `S${n}`)) }) }, async () => null);
}

type Answer = { action: 'accept'; content: Record<string, string | number> } | { action: 'decline' | 'cancel' };

async function connect(mode: 'legacy' | 'auto', answer?: (asked: unknown) => Answer): Promise<Client> {
  const served = await serve(Travel);
  const capabilities = answer ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params));
  await client.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`)));
  return client;
}

async function textOf(client: Client, name: string, args: Record<string, string>): Promise<string> {
  const { messages } = await client.getPrompt({ name, arguments: args });
  expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: expect.any(String) } }]);
  return messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join('');
}

describe.each(['legacy', 'auto'] as const)('prompts over MCP (%s)', (mode) => {
  it('each skill is a prompt with its arguments; an example stands in for what is required', async () => {
    const { prompts } = await (await connect(mode)).listPrompts();
    expect(prompts).toEqual([
      {
        name: 'book',
        description: 'Books a flight.',
        arguments: [
          { name: 'to', description: 'Where to. Example: Rome', required: false },
          { name: 'seat', required: true },
          { name: 'nights', required: false },
          { name: 'refund', description: 'Example: false', required: false },
        ],
      },
      { name: 'list', description: 'Lists flights.', arguments: [] },
      { name: 'stop', description: 'Names a stop.', arguments: [{ name: 'code', required: true }] },
    ]);
  });

  it('its text names the tool and the arguments in their types, as given, else as in the example', async () => {
    const client = await connect(mode);
    const text = await textOf(client, 'book', { seat: 'aisle', nights: '3', refund: 'true' });
    expect(text).toContain('the tool "book"');
    expect(JSON.parse(text.slice(text.indexOf('{')))).toEqual({ to: 'Rome', seat: 'aisle', nights: 3, refund: true });
    expect(await textOf(client, 'book', { to: 'Oslo', seat: 'window' })).toContain('"to": "Oslo"');
    expect(await textOf(client, 'list', {})).toBe('Call the tool "list".');
  });

  it('refuses what is missing, of another type or unknown, and names it', async () => {
    const client = await connect(mode);
    const refused = (name: string, args: Record<string, string>) => expect(client.getPrompt({ name, arguments: args })).rejects;
    await refused('book', {}).toMatchObject({ code: -32602, message: expect.stringContaining('"seat" is missing') });
    await refused('book', { seat: 'aisle', nights: 'two' }).toMatchObject({
      code: -32602,
      message: expect.stringContaining('"nights" must be JSON (integer)'),
    });
    await refused('book', { seat: 'aisle', nights: '2.5' }).toMatchObject({
      code: -32602,
      message: expect.stringContaining('"nights" must be JSON (integer)'),
    });
    await refused('book', { seat: 'aisle', constructor: 'x' }).toMatchObject({ code: -32602, message: expect.stringContaining('no argument "constructor"') });
    await refused('nothing', {}).toMatchObject({ code: -32602, message: expect.stringContaining('no prompt "nothing"') });
  });

  it('completes arguments with what the schema names, 100 at most', async () => {
    const client = await connect(mode);
    const complete = async (prompt: string, name: string, value: string): Promise<unknown> =>
      (await client.complete({ ref: { type: 'ref/prompt', name: prompt }, argument: { name, value } })).completion;
    expect(await complete('book', 'to', 'r')).toEqual({ values: ['Rome', 'Riga'], total: 2, hasMore: false });
    expect(await complete('book', 'seat', '')).toEqual({ values: ['aisle', 'window'], total: 2, hasMore: false });
    expect(await complete('book', 'refund', 't')).toEqual({ values: ['true'], total: 1, hasMore: false });
    expect(await complete('book', 'nowhere', '')).toEqual({ values: [], total: 0, hasMore: false });
    const many = z.object({ values: z.array(z.string()), total: z.number(), hasMore: z.boolean() }).parse(await complete('stop', 'code', 's'));
    expect([many.values.length, many.total, many.hasMore]).toEqual([100, 130, true]);
    await expect(complete('nothing', 'x', '')).rejects.toMatchObject({ code: -32602 });
  });
});

describe.each(['legacy', 'auto'] as const)('prompts that ask (%s)', (mode) => {
  it('what is missing is asked for by a form of its own fields, and again with what was wrong', async () => {
    const asked: unknown[] = [];
    const given = [{ seat: 'roof' }, { seat: 'window' }];
    const client = await connect(mode, (params) => (asked.push(params), { action: 'accept', content: given.shift() ?? {} }));
    expect(await textOf(client, 'book', { to: 'Oslo' })).toContain('"seat": "window"');
    expect(asked).toEqual([
      expect.objectContaining({
        message: 'What is "book" to be called with?',
        requestedSchema: { type: 'object', properties: { seat: { type: 'string', enum: ['aisle', 'window'] } }, required: ['seat'] },
      }),
      expect.objectContaining({ message: expect.stringContaining('The answer before did not do: seat: ') }),
    ]);
  });

  it('who declines gets no prompt, and who never answers as asked is asked three times', async () => {
    const declines = await connect(mode, () => ({ action: 'decline' }));
    await expect(declines.getPrompt({ name: 'book', arguments: {} })).rejects.toThrow('did not fill in');
    let rounds = 0;
    const wrong = await connect(mode, () => ((rounds += 1), { action: 'accept', content: { seat: 7 } }));
    await expect(wrong.getPrompt({ name: 'book', arguments: {} })).rejects.toThrow('the arguments do not fit: seat');
    expect(rounds).toBe(3);
  });

  it('a client that cannot be asked reads what is missing', async () => {
    await expect((await connect(mode)).getPrompt({ name: 'book', arguments: {} })).rejects.toThrow('the argument "seat" is missing');
  });
});
