// How agents of other frameworks are recognised in their sources, and the lines that make each an agent of
// ours. The first that fits is taken.

interface Lines {
  /** That has the object, relative to the project. */
  file: string;
  object: string;
  /** Quoted. */
  name: string;
  description: string;
}

export interface Framework {
  title: string;
  language: 'node' | 'python';
  /** What its sources import. */
  imports: RegExp;
  /** Group 1: an exported name that is made of it. */
  object: RegExp;
  /** It asks models on a wire that the model gateway speaks. */
  asksModels: boolean;
  /** Group 1: a list of those that another hands off to. */
  within?: RegExp;
  lines: (of: Lines) => string;
}

const exported = (made: string): RegExp => new RegExp(String.raw`^export const (\w+)(?::[^=\n]+)? = (?:await )?${made}`, 'gm');
const atTop = (made: string): RegExp => new RegExp(String.raw`^(\w+)(?::[^=\n]+)? = ${made}`, 'gm');

/**
 * What a framework takes beyond what an agent has where nothing is said: with less its machine is busy
 * reading again what it had to drop.
 */
interface Takes {
  memory?: string;
  /** What is given of it. */
  wrap?: (object: string) => string;
}
interface More extends Takes {
  first?: string;
  extra?: string;
}

const node =
  (adapter: string, from: string, { first, extra, memory, wrap = (object) => object }: More = {}) =>
  ({ file, object, name, description }: Lines): string =>
    [
      ...(first === undefined ? [] : [first]),
      `import { ${from} } from '@svc/sdk/adapters/${adapter}';`,
      `import { ${object} } from './${file}';`,
      '',
      `export default ${from}(${wrap(object)}, {${extra === undefined ? '' : `\n  ${extra},`}`,
      `  name: ${name},`,
      `  description: ${description},`,
      ...(memory === undefined ? [] : [`  resources: { memory: '${memory}' },`]),
      '});',
      '',
    ].join('\n');

const python =
  (adapter: string, from: string, { memory, wrap = (object) => object }: Takes = {}) =>
  ({ file, object, name, description }: Lines): string =>
    [
      ...(memory === undefined ? [] : ['from svc import Resources']),
      `from svc.adapters.${adapter} import ${from}`,
      `from ${file
        .replace(/\.py$/, '')
        .replace(/\/__init__$/, '')
        .replaceAll('/', '.')} import ${object}`,
      '',
      `Agent = ${from}(${wrap(object)}, name=${name}, description=${description}${memory === undefined ? '' : `, resources=Resources(memory="${memory}")`})`,
      '',
    ].join('\n');

export const FRAMEWORKS: readonly Framework[] = [
  {
    title: 'LangGraph (JavaScript)',
    language: 'node',
    asksModels: true,
    imports: /from '@langchain\/langgraph|from "@langchain\/langgraph/,
    // A chain of calls may be long: up to the statement's end.
    object: /^export const (\w+) = (?:await )?[\s\S]{0,4000}?\.compile\(/gm,
    lines: node('langgraph', 'fromLangGraph'),
  },
  {
    title: 'Mastra',
    language: 'node',
    asksModels: true,
    imports: /from ['"]@mastra\/core/,
    object: exported(String.raw`(?:new Agent\(|createWorkflow\()`),
    lines: node('mastra', 'fromMastra', { memory: '512Mi' }),
  },
  {
    title: 'OpenAI Agents (JavaScript)',
    language: 'node',
    asksModels: true,
    imports: /from ['"]@openai\/agents/,
    object: exported(String.raw`(?:new Agent(?:<[^\n]*>)?\(|Agent\.create\()`),
    within: /handoffs: \[([^\]]*)\]/g,
    lines: node('openai-agents', 'fromOpenAIAgents', { first: "import { run } from '@openai/agents';", extra: 'run' }),
  },
  {
    title: 'Google ADK (JavaScript)',
    language: 'node',
    asksModels: false,
    imports: /from ['"]@google\/adk/,
    object: exported(String.raw`new (?:Llm|Sequential|Parallel|Loop)Agent\(`),
    within: /subAgents: \[([^\]]*)\]/g,
    lines: node('google-adk', 'fromGoogleADK', {
      first: "import { InMemoryRunner } from '@google/adk';",
      wrap: (object) => `new InMemoryRunner({ agent: ${object}, appName: 'agent' })`,
    }),
  },
  {
    title: 'AI SDK',
    language: 'node',
    asksModels: true,
    imports: /from ['"]ai['"]/,
    object: exported(String.raw`new (?:ToolLoopAgent|Experimental_Agent)`),
    lines: node('ai-sdk', 'fromAISDK'),
  },
  {
    title: 'Express',
    language: 'node',
    asksModels: false,
    imports: /from ['"]express['"]/,
    object: exported(String.raw`express\(\)`),
    lines: node('express', 'fromExpress'),
  },
  {
    title: 'LangGraph (Python)',
    language: 'python',
    asksModels: true,
    imports: /^(?:from|import) (?:langgraph|langchain\.agents|deepagents)/m,
    // The chain of calls may stand in brackets, a call a line; LangChain's own functions compile graphs.
    object: atTop(String.raw`(?:[^\n]*\.compile\(|\((?:\n[ \t#][^\n]*|\n)*?\n[ \t]+\.compile\(|create_(?:react_|deep_)?agent\()`),
    lines: python('langgraph', 'from_langgraph', { memory: '512Mi' }),
  },
  {
    title: 'OpenAI Agents (Python)',
    language: 'python',
    asksModels: true,
    imports: /^from agents import/m,
    object: atTop(String.raw`Agent(?:\[[^\n]*\])?\(`),
    within: /handoffs=\[([^\]]*)\]/g,
    lines: python('openai_agents', 'from_openai_agents', { memory: '512Mi' }),
  },
  {
    title: 'Pydantic AI',
    language: 'python',
    asksModels: true,
    imports: /^(?:from|import) pydantic_ai/m,
    object: atTop(String.raw`Agent(?:\[[^\n]*\])?\(`),
    lines: python('pydantic_ai', 'from_pydantic_ai'),
  },
  {
    title: 'Google ADK (Python)',
    language: 'python',
    asksModels: true,
    imports: /^(?:from|import) google\.adk/m,
    object: atTop(String.raw`(?:Llm|Sequential|Parallel|Loop)?Agent\(`),
    within: /sub_agents=\[([^\]]*)\]/g,
    lines: python('google_adk', 'from_google_adk', { memory: '768Mi' }),
  },
  {
    title: 'CrewAI',
    language: 'python',
    asksModels: true,
    imports: /^(?:from|import) crewai/m,
    object: atTop(String.raw`Crew\(`),
    lines: python('crewai', 'from_crewai', { memory: '512Mi' }),
  },
  {
    title: 'FastAPI',
    language: 'python',
    asksModels: false,
    imports: /^(?:from|import) fastapi/m,
    object: atTop(String.raw`FastAPI\(`),
    lines: python('asgi', 'from_asgi'),
  },
  {
    title: 'FastAPI (made by a function)',
    language: 'python',
    asksModels: false,
    imports: /^(?:from|import) fastapi/m,
    // One that needs no argument.
    object: /^def (\w+)\((?:\w+(?::[^,)=]+)? ?= ?[^,)]+,? ?)*\)[^\n]*:\n(?:[ \t]+[^\n]*\n|\n)*?[ \t]+(?:\w+(?::[^=\n]+)? = |return )FastAPI\(/gm,
    lines: python('asgi', 'from_asgi', { wrap: (object) => `${object}()` }),
  },
];
