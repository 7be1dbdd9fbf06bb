// Questions as apps: a real browser hosts the page through the official library, and what a person fills in
// there is what the run gets.
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import { build } from 'esbuild';
import { chromium, type Browser, type FrameLocator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { serve } from '#sdk/typescript/test/serve.ts';

const UI = 'io.modelcontextprotocol/ui';
const HTML = 'text/html;profile=mcp-app';
const EVIL = '<img src="https://evil.example/x" onerror="parent.postMessage(1)"><script>document.title="evil"</script>';

class Asker extends Agent {
  override name = 'asker';
  override description = 'For tests.';
  override version = '1.0.0';
  override concurrency = 8;
  approve = skill({ description: 'Asks first.' }, async (ctx) => {
    const properties = {
      approve: { type: 'boolean', title: 'Approve' },
      reason: { type: 'string', title: 'Reason', description: EVIL, maxLength: 40 },
      level: {
        type: 'string',
        title: EVIL,
        oneOf: [
          { const: 'low', title: 'Low' },
          { const: 'high', title: EVIL },
        ],
      },
      count: { type: 'integer', title: 'Count', minimum: 1, maximum: 9 },
      tags: { type: 'array', title: 'Tags', items: { type: 'string', enum: ['a', 'b', 'c'] } },
    };
    return await ctx.ask(`Deploy?\n${EVIL}`, 60, { schema: { type: 'object', properties, required: ['approve', 'reason'] } });
  });
  twice = skill({ description: 'Asks twice.' }, async (ctx) => `${await ctx.ask('First?')} and ${await ctx.ask('Second?')}`);
}

const Question = z.object({ 'svc/question': z.object({ question_id: z.string() }) });

let browser: Browser;
let host: string;
beforeAll(async () => {
  const entry = join(import.meta.dirname, 'app-host.mjs');
  const [bundle, started] = await Promise.all([
    build({ entryPoints: [entry], bundle: true, write: false, format: 'iife', platform: 'browser', logLevel: 'silent' }),
    chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-quic', '--no-first-run'] }),
  ]);
  host = bundle.outputFiles[0]?.text ?? '';
  browser = started;
});
afterAll(() => browser?.close());

async function connect(url: string, era: 'legacy' | 'auto', capabilities: object = { extensions: { [UI]: { mimeTypes: [HTML] } } }): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities, versionNegotiation: { mode: era } });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  return client;
}

interface Shown {
  page: Page;
  app: FrameLocator;
  answers: CallToolResult[];
  contexts: unknown[];
  requests: string[];
}

/** As a host does it: the page of the tool, shown with the tool's answer; its calls go to the server. */
async function show(client: Client, questionId: string): Promise<Shown> {
  const { tools } = await client.listTools();
  const { ui } = z.object({ ui: z.object({ resourceUri: z.string() }) }).parse(tools.find(({ name }) => name === 'answer_question')?._meta);
  const { contents } = await client.readResource({ uri: ui.resourceUri });
  expect(contents).toEqual([{ uri: ui.resourceUri, mimeType: HTML, text: expect.any(String), _meta: { ui: { csp: {}, prefersBorder: true } } }]);
  const args = { question_id: questionId };
  const result = await client.callTool({ name: 'answer_question', arguments: args });
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  const [answers, contexts, requests]: [CallToolResult[], unknown[], string[]] = [[], [], []];
  page.on('request', (request) => void requests.push(request.url()));
  await page.exposeFunction('callTool', async (params: { name: string; arguments?: Record<string, unknown> }) => {
    const answer = await client.callTool(params);
    answers.push(answer);
    return answer;
  });
  await page.exposeFunction('context', (params: unknown) => void contexts.push(params));
  await page.addScriptTag({ content: host });
  const text = z.object({ text: z.string() }).parse(contents[0]).text;
  await page.evaluate(`showApp(${[text, args, result].map((value) => JSON.stringify(value)).join(', ')})`);
  return { page, app: page.frameLocator('iframe'), answers, contexts, requests };
}

const asked = async (client: Client, tool: string): Promise<string> => {
  const result = await client.callTool({ name: tool, arguments: {} });
  expect(JSON.stringify(result.content)).toContain('call answer_question with only the question_id');
  return Question.parse(result._meta)['svc/question'].question_id;
};

describe.each(['legacy', 'auto'] as const)('a question as an app (%s)', (era) => {
  test('its form is filled in by a person, and the run goes on with it; what the agent wrote is text', async () => {
    const { url } = await serve(Asker);
    const client = await connect(url, era);
    const { page, app, answers, contexts, requests } = await show(client, await asked(client, 'approve'));
    await app.getByText('Deploy?').waitFor();
    expect(await app.locator('#prompt').textContent()).toBe(`Deploy?\n${EVIL}`);
    expect(await app.locator('img, iframe, a, body script + script').count()).toBe(0);
    expect(await app.locator('html').getAttribute('style')).toContain('color-scheme: dark');
    await app.getByLabel('Approve').check();
    // What is required is not sent without.
    await app.getByRole('button', { name: 'Send' }).click();
    expect(answers).toEqual([]);
    await app.getByLabel('Reason').fill('"quoted" & <b>');
    await app.locator('select').selectOption({ index: 2 });
    await app.getByLabel('Count').fill('3');
    for (const tag of ['a', 'c']) await app.getByLabel(tag, { exact: true }).check();
    await app.getByRole('button', { name: 'Send' }).click();
    await app.getByText('"approve":true').waitFor();
    const result = z.object({ result: z.string() }).parse(answers[0]?.structuredContent).result;
    expect(JSON.parse(result)).toEqual({ approve: true, reason: '"quoted" & <b>', level: 'high', count: 3, tags: ['a', 'c'] });
    await expect.poll(() => contexts).toEqual([{ content: answers[0]?.content }]);
    // Nothing was loaded from anywhere, and nothing of it ran.
    expect(requests.filter((one) => !one.startsWith('about:'))).toEqual([]);
    expect(await page.title()).toBe('');
    expect(await page.evaluate('sizes.length')).toBeGreaterThan(0);
  });

  test('one question after the other, and one that is gone says so', async () => {
    const { url } = await serve(Asker);
    const client = await connect(url, era);
    const first = await asked(client, 'twice');
    const { app } = await show(client, first);
    await app.getByLabel('Answer').fill('one');
    await app.getByRole('button', { name: 'Send' }).click();
    await app.getByText('Second?').waitFor();
    await app.getByLabel('Answer').fill('two');
    await app.getByRole('button', { name: 'Send' }).click();
    await app.getByText('one and two').waitFor();
    const late = await client.callTool({ name: 'answer_question', arguments: { question_id: first } });
    expect(late).toMatchObject({ isError: true });
  });

  test('a client that shows no pages is offered none', async () => {
    const { url } = await serve(Asker);
    const client = await connect(url, era, {});
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['approve', 'twice']);
    const result = await client.callTool({ name: 'twice', arguments: {} });
    expect(JSON.stringify(result.content)).not.toContain('form');
    const { question_id } = Question.parse(result._meta)['svc/question'];
    const empty = await client.callTool({ name: 'answer_question', arguments: { question_id } });
    expect(JSON.stringify(empty.content)).toContain('skill_input_error');
    const other = await (await connect(url, era)).callTool({ name: 'answer_question', arguments: { question_id: 'qst_none' } });
    expect(JSON.stringify(other.content)).toContain('no such question');
  });
});
