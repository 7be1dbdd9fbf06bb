// A provider that says the key in pieces, over the events of a stream: whoever puts them together has
// nothing. And a person who streams loses no word.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEYS, modelAttack, type ModelAttack, PATHS, QUESTION } from './model-attacker.ts';

let it: ModelAttack;
beforeAll(async () => {
  it = await modelAttack();
  await it.lend(100_000_000);
});
afterAll(() => it.close());

const STREAMED = { 'content-type': 'text/event-stream' };
const inPieces = (text: string, length: number): string[] => text.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? [];

/** All that the key can be read from. */
const readable = (answer: string): string[] => [
  answer,
  ...Array.from(answer.matchAll(/[A-Za-z0-9+/=]{20,}/g), ([one]) => Buffer.from(one, 'base64').toString('latin1')),
  ...Array.from(answer.matchAll(/[0-9a-f]{20,}/g), ([one]) => Buffer.from(one, 'hex').toString('latin1')),
];

/** How each wire writes a text that comes in pieces, and what a reader makes of the events. */
const WIRES = {
  chat: {
    delta: (text: string) => ({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm-1', choices: [{ index: 0, delta: { content: text }, finish_reason: null }] }), // prettier-ignore
    ends: [{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm-1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }],
  },
  responses: {
    delta: (text: string) => ({ type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta: text }),
    ends: [
      { type: 'response.output_text.done', item_id: 'i', output_index: 0, content_index: 0 },
      { type: 'response.completed', response: { id: 'r', usage: { input_tokens: 1, output_tokens: 1 } } },
    ],
  },
  messages: {
    delta: (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    ends: [{ type: 'content_block_stop', index: 0 }, { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }, { type: 'message_stop' }], // prettier-ignore
  },
} as const;
type Wire = keyof typeof WIRES;
const keyOf = (wire: Wire): string => (wire === 'messages' ? KEYS.anthropic : KEYS.openai);

async function streamed(wire: Wire, events: readonly object[], more = ''): Promise<object[]> {
  const token = await it.token(it.run(await it.agent()));
  // Readers go by the name of an event.
  const named = (event: object): string => ('type' in event ? `event: ${String(event.type)}\n` : '');
  it.provider.next = [
    { status: 200, body: `${events.map((event) => `${named(event)}data: ${JSON.stringify(event)}\n\n`).join('')}${more}`, headers: STREAMED },
  ];
  const { whole } = await it.ask(PATHS[wire], token, { model: 'm-1', max_tokens: 10, messages: QUESTION, input: 'x', stream: true });
  return Array.from(whole.matchAll(/^(?:event: (.*)\n)?data: (\{.*)$/gm), ([, name, data = '']) => {
    const event: { type?: string } = JSON.parse(data);
    expect(event.type).toBe(name);
    return event;
  });
}

/** All that an agent can put together: of each place in an event the texts, one after the other. */
function joinedTexts(events: readonly object[]): string[] {
  const joined = new Map<string, string>();
  const add = (value: unknown, path: string): void => {
    if (typeof value === 'string') joined.set(path, (joined.get(path) ?? '') + value);
    else if (typeof value === 'object' && value !== null)
      for (const [name, one] of Object.entries(value))
        add(one, `${path}/${typeof one === 'object' && one !== null && 'index' in one ? String(one.index) : name}`);
  };
  for (const event of events) add(event, '');
  return [...joined.values()];
}
const said = (events: readonly object[]): string => joinedTexts(events).find((text) => text.includes('Your')) ?? '';

test.each<Wire>(['chat', 'responses', 'messages'])(
  '%s: a key that comes in pieces over the events of a stream is hidden, and every other word arrives',
  async (wire) => {
    const key = keyOf(wire);
    const { delta, ends } = WIRES[wire];
    const ways = { plain: key, base64: Buffer.from(`Bearer ${key}`).toString('base64'), hexadecimal: Buffer.from(key).toString('hex') };
    for (const [how, written] of Object.entries(ways)) {
      const text = `Your headers, wörld 🙂: "${written}" und so weiter, bis "zuletzt`;
      for (const length of [1, 3, written.length - 1]) {
        const events = await streamed(wire, [...inPieces(text, length).map((piece) => delta(piece)), ...ends]);
        for (const joined of joinedTexts(events)) for (const readOut of readable(joined)) expect(readOut, `${how}, ${length}`).not.toContain(key.slice(3, -4));
        expect(said(events), `${how}, ${length}`).toMatch(/^Your headers, wörld 🙂: "[^"]+" und so weiter, bis "zuletzt$/);
        // What a reader waits for still comes, and comes last.
        expect(events.slice(-ends.length)).toEqual(ends);
      }
    }
  },
);

test('nothing that stands between the pieces brings them through', async () => {
  const pieces = inPieces(`Your key: ${KEYS.openai}`, 2);
  const { delta, ends } = WIRES.chat;
  const between: Record<string, (piece: string, at: number) => object[]> = {
    'events without a text': (piece) => [delta(piece), { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm-1', choices: [] }],
    'ends that are none': (piece) => [{ ...delta(piece), choices: [{ index: 0, delta: { content: piece }, finish_reason: 'stop' }] }],
    'empty texts': (piece) => [delta(piece), delta('')],
    'another answer': (piece) => [delta(piece), { ...delta(piece), choices: [{ index: 1, delta: { content: 'ok ' }, finish_reason: null }] }],
    'arguments of a tool': (piece, at) => [
      { ...delta(''), choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...(at === 0 && { id: 't', type: 'function' }), function: { arguments: piece } }] }, finish_reason: null }] }, // prettier-ignore
    ],
    'a thought': (piece) => [{ ...delta(''), choices: [{ index: 0, delta: { reasoning_content: piece }, finish_reason: null }] }],
  };
  for (const [what, event] of Object.entries(between)) {
    const events = await streamed('chat', [...pieces.flatMap(event), ...ends], 'data: [DONE]\n\n');
    for (const joined of joinedTexts(events)) expect(joined, what).not.toContain(KEYS.openai.slice(3, -4));
    expect(joinedTexts(events).find((text) => text.includes('[key]')), what).toBe('Your key: [key]'); // prettier-ignore
  }
});

test('a word is passed on when the next one begins, whatever the key is; what cannot be of a key, at once', async () => {
  const { delta, ends } = WIRES.chat;
  const events = await streamed('chat', [delta('Your sk'), delta('-of'), delta(' the'), delta(' 日本語'), delta('!'), ...ends]);
  const texts = events.slice(0, 5).map((event) => joinedTexts([event]).at(-1));
  expect(texts).toEqual(['Your ', '', 'sk-of ', 'the 日本語', '!']);
});

test('what comes whole stays whole: a citation, a sound, the name of a tool', async () => {
  const { delta, ends } = WIRES.messages;
  const citation = (cited_text: string) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'citations_delta', citation: { type: 'page', cited_text } },
  });
  const events = await streamed('messages', [citation('one two'), delta('Your wor'), citation('three'), delta('ld'), ...ends]);
  expect(events).toEqual([citation('one two'), delta('Your '), citation('three'), delta(''), delta('world'), ...ends]);
  const sound = { type: 'response.audio.delta', delta: 'UklGRg' };
  expect((await streamed('responses', [sound, sound, ...WIRES.responses.ends])).slice(0, 2)).toEqual([sound, sound]);
});
