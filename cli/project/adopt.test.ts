// svc init --from: every example loses what makes it an agent of ours, is recognised, and gets it back.
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADAPTERS } from '#sdk/typescript/adapters/names.ts';
import { adopt } from './adopt.ts';
import { entryOf, readProject } from './read.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-adopt-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const projectOf = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const folder = await mkdtemp(join(home, 'project-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
};
const codeIn = (text: string): string => text.replaceAll(/name: .*|description: .*|appName: '\w+'|\s+/g, '').replaceAll('"', "'");

describe.each(ADAPTERS)('%s', (name) => {
  test('its example is recognised, and the lines are those of the example', async () => {
    const folder = await mkdtemp(join(home, 'example-'));
    const own = /agent\.ts$|svc\.yaml$|node_modules|package-lock/;
    await cp(join(EXAMPLES, name), folder, { recursive: true, filter: (path) => !own.test(path.slice(EXAMPLES.length)) });
    const made = await adopt({ name: 'support', description: 'Answers.', folder });
    expect(made).toMatchObject({ entrypoint: 'svc-agent:default', written: ['svc.yaml', 'svc-agent.ts'], found: { file: 'support.ts' } });
    const [written, example] = await Promise.all([readFile(join(folder, 'svc-agent.ts'), 'utf8'), readFile(join(EXAMPLES, name, 'agent.ts'), 'utf8')]);
    expect(codeIn(written)).toBe(codeIn(example));
    const project = await readProject(folder);
    expect(entryOf(project)).toMatchObject({ className: 'default', language: 'typescript' });
    expect(project.manifest.models).toEqual((await readProject(join(EXAMPLES, name))).manifest.models);
    expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).toMatchObject({
      dependencies: { '@svc/sdk': expect.stringMatching(/^file:vendor/), zod: '4.6.7' },
    });
    await expect(adopt({ name: 'support', description: '', folder })).rejects.toThrow('is there already');
  });
});

test.each([
  ['langgraph', 'from langgraph.graph import StateGraph\nb = StateGraph(dict)\ngraph = b.compile()\n', 'from_langgraph(graph', '512Mi'],
  [
    'langgraph',
    'from langgraph.graph import StateGraph\ngraph = (\n    StateGraph(dict)\n    .add_node(work)\n\n    .compile(name="x")\n)\n',
    'from_langgraph(graph',
    '512Mi',
  ],
  ['langgraph', 'from langchain.agents import create_agent\nagent = create_agent("openai:gpt-5-mini", tools=[])\n', 'from_langgraph(agent', '512Mi'],
  ['openai_agents', 'from agents import Agent\npayer = Agent(name="p")\nfront = Agent(name="f", handoffs=[payer])\n', 'from_openai_agents(front', '512Mi'],
  ['crewai', 'from crewai import Crew\ncrew = Crew(agents=[], tasks=[])\n', 'from_crewai(crew', '512Mi'],
  ['google_adk', 'from google.adk.agents import LlmAgent\nagent = LlmAgent(name="clerk", sub_agents=[])\n', 'from_google_adk(agent', '768Mi'],
  ['pydantic_ai', 'from pydantic_ai import Agent\nagent: Agent[None, str] = Agent("openai:gpt-5-mini")\n', 'from_pydantic_ai(agent'],
  ['asgi', 'from fastapi import FastAPI\napp = FastAPI()\n', 'from_asgi(app'],
])('a Python project of %s', async (module, text, call, memory?: string) => {
  const folder = await projectOf({ 'main.py': text });
  expect(await adopt({ name: 'support', description: 'It "answers".', folder })).toMatchObject({ entrypoint: 'svc_agent:Agent' });
  const written = await readFile(join(folder, 'svc_agent.py'), 'utf8');
  expect(written).toContain(`from svc.adapters.${module} import`);
  const resources = memory === undefined ? '' : `, resources=Resources(memory="${memory}")`;
  expect(written).toContain(`${call}, name="support", description="It \\"answers\\"."${resources})\n`);
  expect(written.includes('from svc import Resources\n')).toBe(memory !== undefined);
  const project = await readProject(folder);
  expect(entryOf(project).language).toBe('python');
  expect(project.manifest.models?.paid_by).toBe(module === 'asgi' ? undefined : 'owner');
});

test.each([
  ['go', 'main:main', { 'go.mod': 'module x\n', 'openapi.yaml': '' }],
  ['rust', 'main:main', { 'Cargo.toml': '', 'openapi.json': '{}' }],
  ['python', 'app:main', { 'tool.py': 'x = 1\n', 'app.py': "if __name__ == '__main__':\n    serve()\n", 'openapi.yml': '' }],
])('a service in %s with a description', async (language, entrypoint, files) => {
  const folder = await projectOf(files);
  expect(await adopt({ name: 'shop', description: '', folder })).toMatchObject({ entrypoint, written: ['svc.yaml'], framework: `HTTP service (${language})` });
  const project = await readProject(folder);
  expect(project.manifest.service?.openapi).toMatch(/^openapi\./);
  expect(entryOf(project)).toMatchObject({ language });
});

test('for a service of Node the command shows how it becomes an agent', async () => {
  const folder = await projectOf({ 'a.ts': '', 'svc.yaml': 'name: a\nversion: 0.1.0\nentrypoint: a:default\nservice:\n  openapi: o.json\n' });
  const project = await readProject(folder);
  expect(() => entryOf(project)).toThrow(/svc\.yaml:\d+:\d+: service: is for programs in Python, Go and Rust; .*fromExpress/);
});

test('several that could be meant are named, and nothing is written', async () => {
  const folder = await projectOf({
    'a.ts': "import { ToolLoopAgent } from 'ai';\nexport const one = new ToolLoopAgent({});\nexport const two = new ToolLoopAgent({});\n",
  });
  await expect(adopt({ name: 'x', description: '', folder })).rejects.toThrow('one of a.ts, two of a.ts');
  await expect(readFile(join(folder, 'svc.yaml'))).rejects.toThrow('ENOENT');
});

test.each([
  [
    { 'server.js': "import express from 'express';\nconst app = express();\napp.listen(3000);\n" },
    /server\.js:2:7: app is an Express application that is not exported: write "export const app = express\(\)", move app\.listen/,
  ],
  [
    { 'index.cjs': "const express = require('express');\nconst api = express();\nmodule.exports = api;\n" },
    /index\.cjs:2:7: api is an Express application that is not exported/,
  ],
  [
    { 'server.js': "import express from 'express';\nexport const app = express();\napp.get('/', () => {});\napp.listen(3000);\n" },
    /server\.js:4:1: app\.listen\(…\) opens a port whenever the agent is loaded: move it into a file of its own/,
  ],
  [
    { 'main.py': 'from fastapi import FastAPI\n\ndef create_app(db):\n    app = FastAPI()\n    return app\n' },
    /main\.py:3:5: create_app makes a FastAPI application of arguments: write "app = create_app\(…\)"/,
  ],
  [{ 'app.py': 'from flask import Flask\n\napp = Flask(__name__)\n' }, /app\.py:3:1: app is a Flask application: put an openapi\.yaml beside it/],
  [
    { 'server.py': 'from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP("tools")\n\nmcp.run()\n' },
    /server\.py:3:1: an MCP server over stdio .*svc import https/,
  ],
  [
    { 'index.ts': "import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';\nawait server.connect(new StdioServerTransport());\n" },
    /index\.ts:2:26: an MCP server over stdio/,
  ],
])('what lacks one thing is refused with the place and the sentence: %j', async (files, message) => {
  const folder = await projectOf(files);
  await expect(adopt({ name: 'support', description: '', folder })).rejects.toThrow(message);
  await expect(readFile(join(folder, 'svc.yaml'))).rejects.toThrow('ENOENT');
});

test('a FastAPI application that a function makes is one too', async () => {
  const folder = await projectOf({
    'main.py': 'from fastapi import FastAPI\n\ndef create_app(debug: bool = False) -> FastAPI:\n    app = FastAPI()\n    return app\n',
  });
  await adopt({ name: 'support', description: '', folder });
  expect(await readFile(join(folder, 'svc_agent.py'), 'utf8')).toContain('from main import create_app\n\nAgent = from_asgi(create_app(), name="support"');
});

test('a folder of pages becomes the frontend of an agent; without svc.yaml commands say how', async () => {
  const folder = await projectOf({ 'index.html': '<h1>Mine</h1>', 'style.css': 'h1 {}', '.env': 'KEY=1' });
  await expect(readProject(folder)).rejects.toThrow(/for what is there \(index\.html\), "svc init NAME --from FOLDER" makes an agent of it/);
  const made = await adopt({ name: 'pages', description: 'Mine.', folder, target: folder });
  expect(made).toMatchObject({ folder: join(folder, 'pages'), framework: 'Static site' });
  expect((await readdir(join(made.folder, 'frontend'))).toSorted()).toEqual(['index.html', 'style.css']);
  const { manifest } = await readProject(made.folder);
  expect(manifest.frontend).toMatchObject({ path: 'frontend', auth: 'public' });
});

test('what is not known is refused with what is', async () => {
  await expect(adopt({ name: 'x', description: '', folder: await projectOf({ 'a.ts': 'export const one = 1;\n' }) })).rejects.toThrow(/Known are: LangGraph/);
});

describe('langgraph.json', () => {
  const adopted = async (file: object, files: Readonly<Record<string, string>> = {}) => {
    const sources = { 'agent.py': 'from langgraph.graph import StateGraph\na = b.compile()\nc = b.compile()\n', ...files };
    const folder = await projectOf({ ...sources, 'langgraph.json': JSON.stringify(file) });
    return await adopt({ name: 'support', description: 'Answers.', folder });
  };

  test('names the graph, however it is written', async () => {
    const python = await adopted({ graphs: { support: './agent.py:c' } });
    expect(python).toMatchObject({ framework: 'LangGraph (Python)', found: { file: 'agent.py', name: 'c' } });
    expect(await readFile(join(python.folder, 'svc_agent.py'), 'utf8')).toContain('from agent import c\n');
    const node = await adopted({ graphs: { support: { path: './graph.ts:graph' } } }, { 'graph.ts': '' });
    expect(node).toMatchObject({ framework: 'LangGraph (JavaScript)', found: { file: 'graph.ts', name: 'graph' } });
  });

  test.each([
    [{ graphs: { one: './agent.py:a', two: './agent.py:c' } }, 'several graphs: one, two'],
    [{ graphs: { one: './none.py:a' } }, '"./none.py:a" is no file and graph'],
    [{ dependencies: ['.'] }, 'names no graph'],
  ])('%j is refused', async (file, why) => {
    await expect(adopted(file)).rejects.toThrow(why);
  });
});
