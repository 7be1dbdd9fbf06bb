// What is typed in a conversation, understood.
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { AgentCard } from '#contract/wire/card.ts';
import { composeFile, resourcesOf } from './compose.ts';
import { parseLine, splitWords } from './say.ts';

const object = (properties: Record<string, unknown>, required: string[] = []) => ({ type: 'object', properties, required });
const cardOf = (...skills: [string, Record<string, unknown>][]) =>
  AgentCard.parse({
    name: 'x',
    description: '',
    version: '1.0.0',
    skills: skills.map(([id, input_schema]) => ({ id, name: id, input_schema, output_schema: {} })),
  });
const two = cardOf(
  ['add_note', object({ text: { type: 'string' }, stars: { type: 'integer', maximum: 5 } }, ['text'])],
  ['list', object({ since: { type: 'string' }, all: { type: 'boolean' } }, [])],
);

test.each([
  ['add_note {"text": "hi"}', { is: 'call', args: { text: 'hi' }, fill: false }],
  ['add-note text="two words" stars=3', { is: 'call', args: { text: 'two words', stars: 3 }, fill: false }],
  ["add_note text='it''s' ", { is: 'call', args: { text: 'its' } }],
  ['add_note buy milk and bread', { is: 'call', args: { text: 'buy milk and bread' } }],
  ['add_note', { is: 'call', args: {}, fill: true }],
  ['list', { is: 'call', args: {}, fill: false }],
  ['list all=yes', { is: 'call', args: { all: true } }],
  ['add_note stars=9', { is: 'mistake', says: expect.stringContaining('stars: ') }],
  ['add_note size=9', { is: 'mistake', says: 'add_note takes no "size". It takes: text, stars' }],
  ['add_note {"text": }', { is: 'mistake', says: expect.stringContaining('Not valid JSON') }],
  ['add_note {"text": 5}', { is: 'mistake', says: expect.stringContaining('text') }],
  ['list everything', { is: 'mistake', says: expect.stringContaining('since, all') }],
  ['what can you do?', { is: 'words' }],
  ['@other.skill {}', { is: 'words' }],
])('%s', (text, expected) => {
  expect(parseLine(two, text)).toMatchObject(expected);
});

test('an agent with one tool that takes one text gets what is said', () => {
  const one = cardOf(['answer', object({ question: { type: 'string' } }, ['question'])]);
  expect(parseLine(one, 'why is the sky blue?')).toMatchObject({ is: 'call', args: { question: 'why is the sky blue?' } });
  expect(parseLine(one, '@other.skill {}')).toEqual({ is: 'words' });
});

test('words are taken apart as a shell does', () => {
  expect(splitWords(`a="b c" d='e "f"' g="\\"h\\"" i`)).toEqual(['a=b c', 'd=e "f"', 'g="h"', 'i']);
});

test('the Compose file has the declared resources, reached only from loopback, and the agent after them', () => {
  const options = { agent: 'librarian', baseImage: 'python:3.11-slim', host: '127.0.0.1', port: 8000, envFile: '.env.local', workspace: '/w' };
  const file = parse(composeFile({ ...options, resources: { database: 'postgres', vector_store: 'qdrant' } }));
  expect(Object.keys(file.services)).toEqual(['database', 'vector-store', 'agent']);
  expect(file.services.database.ports).toEqual(['127.0.0.1::5432']);
  expect(file.services.agent).toMatchObject({
    environment: { DATABASE_URL: 'postgres://svc:local@database:5432/svc', VECTOR_STORE_URL: 'http://vector-store:6333' },
    ports: ['127.0.0.1:8000:8000'],
    volumes: ['/w:/workspace'],
    depends_on: { database: { condition: 'service_healthy' }, 'vector-store': { condition: 'service_healthy' } },
  });
  expect(file.services.agent.build.dockerfile_inline).toMatch(/^FROM python:3\.11-slim\nADD base/);
  expect(Object.keys(file.volumes)).toEqual(['database', 'vector-store']);
  expect(parse(composeFile({ ...options, resources: {} }))).toMatchObject({ services: { agent: {} } });
  expect(resourcesOf({ vector_store: 'pgvector' }).map(({ env, url }) => `${env}=${url('h', 1)}`)).toEqual(['VECTOR_STORE_URL=postgres://svc:local@h:1/svc']);
});
