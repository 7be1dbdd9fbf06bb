// Names of OpenTelemetry's conventions that spans of the platform use, in one place: those for GenAI, MCP and
// A2A are in status Development and change. As of November 2026
// (github.com/open-telemetry/semantic-conventions-genai); what has no convention begins with `svc.`.

export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  agentVersion: 'gen_ai.agent.version',
  conversation: 'gen_ai.conversation.id',
  tool: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  requestModel: 'gen_ai.request.model',
  inputTokens: 'gen_ai.usage.input_tokens',
  cachedInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
} as const;

export const OPERATION = {
  invokeAgent: 'invoke_agent',
  executeTool: 'execute_tool',
  chat: 'chat',
  embeddings: 'embeddings',
  generate: 'generate_content',
} as const;

/** Of any span. */
export const ERROR_TYPE = 'error.type';
export const SERVICE_NAME = 'service.name';

export const SVC = {
  run: 'svc.run_id',
  skill: 'svc.skill',
  runState: 'svc.run.state',
  attempts: 'svc.run.attempts',
  caller: 'svc.caller.kind',
  receipt: 'svc.receipt_id',
  grant: 'svc.grant_id',
  wait: 'svc.wait.id',
  waitKind: 'svc.wait.kind',
  waitState: 'svc.wait.state',
  sandbox: 'svc.sandbox.name',
  exitCode: 'svc.sandbox.exit_code',
  modelUse: 'svc.model_use_id',
  costMicros: 'svc.cost_micros',
  estimated: 'svc.usage.estimated',
  owner: 'svc.owner_id',
} as const;

/** Begins the names that are the platform's to say: an agent's own attributes of such a name are dropped. */
export const SVC_PREFIX = 'svc.';

/**
 * What people and models said, by the first part of the attribute's name: kept of an agent's spans only where
 * its owner opted in.
 */
const CONTENT = [
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.system_instructions',
  'gen_ai.tool.definitions',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
  'gen_ai.retrieval.documents',
  'gen_ai.retrieval.query',
  'gen_ai.evaluation.explanation',
  // Older names, and those of other conventions that exporters write: OpenInference, Traceloop, the AI SDK.
  'gen_ai.prompt',
  'gen_ai.completion',
  'gen_ai.content',
  'input',
  'output',
  'llm.input_messages',
  'llm.output_messages',
  'llm.prompts',
  'llm.prompt_template',
  'llm.tools',
  'message',
  'tool.parameters',
  'retrieval.documents',
  'document',
  'traceloop.entity.input',
  'traceloop.entity.output',
  'ai.prompt',
  'ai.response.text',
  'ai.response.object',
  'ai.response.toolCalls',
  'ai.toolCall.args',
  'ai.toolCall.result',
  // What a request, a statement or an error says of its data.
  'db.statement',
  'db.query.text',
  'db.query.parameter',
  'http.request.body',
  'http.response.body',
  'exception.message',
  'exception.stacktrace',
];

export function isContent(name: string): boolean {
  return CONTENT.some((one) => name === one || name.startsWith(`${one}.`));
}
