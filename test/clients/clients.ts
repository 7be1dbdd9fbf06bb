// Which clients there are, what each must have done at its end, and what one cannot do.
export type Step = 'discover' | 'list' | 'call' | 'refuse' | 'answer';

/** What the client's own report of a step must hold. */
export const STEPS: Record<Step, readonly string[]> = {
  discover: ['clients-agent'],
  list: ['add', 'greet', 'paint'],
  call: ['Hello Ada'],
  // The field and what is wrong with it, where a program or a model finds it.
  refuse: ['the arguments do not fit the input schema of', 'a: Invalid input: expected number'],
  answer: ['painted blue'],
};

export interface Client {
  name: string;
  /** Below python/ or node/. */
  script: string;
  /** Default: requirements.txt. */
  requirements?: string;
  /** How it answers a question, and what is special about it. */
  note: string;
  cannot?: Partial<Record<Step, string>>;
}

const FORM = 'answers by its form (elicitation)';
const BY_CALL = 'has no forms: answers by the tool answer_question';
const TASK = 'answers the task that waits (input-required)';

export const CLIENTS: readonly Client[] = [
  { name: 'MCP Inspector (CLI)', script: 'inspector.mjs', note: BY_CALL },
  { name: 'MCP TypeScript SDK 2', script: 'mcp-client.mjs', note: FORM },
  { name: 'MCP TypeScript SDK 1', script: 'mcp-sdk.mjs', note: FORM },
  { name: 'MCP Python SDK 2', script: 'mcp_sdk.py', requirements: 'requirements-mcp2.txt', note: FORM },
  { name: 'MCP Python SDK 1', script: 'mcp_sdk_1.py', note: FORM },
  { name: 'AI SDK', script: 'ai-sdk.mjs', note: FORM },
  { name: 'LangChain', script: 'langchain.py', note: FORM },
  { name: 'OpenAI Agents SDK', script: 'openai_agents.py', note: BY_CALL },
  { name: 'Pydantic AI', script: 'pydantic_ai_mcp.py', note: `${FORM}; its A2A half is a server` },
  {
    name: 'Google ADK, MCP',
    script: 'adk_mcp.py',
    note: FORM,
    cannot: { discover: 'its toolset does not tell what the server calls itself' },
  },
  { name: 'Google ADK, A2A', script: 'adk_a2a.py', note: TASK },
  { name: 'A2A Python SDK', script: 'a2a_sdk.py', note: TASK },
  { name: 'A2A JavaScript SDK', script: 'a2a-js.mjs', note: TASK },
];
