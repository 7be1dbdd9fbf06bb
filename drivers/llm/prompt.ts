// Our messages as the client libraries take them.
import type { JSONValue, LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider';
import type { ModelMessage, ModelRequest, ModelTool } from './port.ts';

export function callOptions(request: ModelRequest, signal: AbortSignal): LanguageModelV4CallOptions {
  const { tools = [], toolChoice = 'auto', temperature } = request;
  return {
    prompt: request.messages.map(promptMessage),
    maxOutputTokens: request.maxOutputTokens,
    abortSignal: signal,
    ...(temperature === undefined ? {} : { temperature }),
    ...(tools.length === 0 ? {} : { tools: tools.map(promptTool), toolChoice: { type: toolChoice } }),
  };
}

function promptMessage(message: ModelMessage): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text.toWellFormed() };
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text.toWellFormed() }] };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(message.text === '' ? [] : [{ type: 'text' as const, text: message.text.toWellFormed() }]),
          ...(message.toolCalls ?? []).map(({ id, name, input }) => ({ type: 'tool-call' as const, toolCallId: id, toolName: name, input })),
        ],
      };
    case 'tool': {
      const output = { type: message.failed === true ? ('error-json' as const) : ('json' as const), value: plainJson(message.output) };
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId: message.callId, toolName: message.name, output }] };
    }
  }
}

function promptTool({ name, description, input }: ModelTool): LanguageModelV4FunctionTool {
  return { type: 'function', name, description: description.toWellFormed(), inputSchema: asSchema(input) };
}

// Safe: JSON.parse makes nothing but JSON.
function plainJson(value: unknown): JSONValue {
  return JSON.parse((JSON.stringify(value) ?? 'null').toWellFormed()) as JSONValue;
}

// Safe: it is sent as it is; whether it is a schema is the vendor's to say.
function asSchema(schema: Record<string, unknown>): LanguageModelV4FunctionTool['inputSchema'] {
  return schema as LanguageModelV4FunctionTool['inputSchema'];
}
