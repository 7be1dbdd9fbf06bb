// LangChain's messages, as callers read them: `{ role, content }`, as most models' APIs have them.
import { record } from '../report.ts';

const ROLES: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant', system: 'system', tool: 'tool', developer: 'developer' };

/** Its role; undefined for what is no message. */
export function kindOf(value: unknown): string | undefined {
  const { getType, _getType: old } = record(value);
  const type: unknown = typeof getType === 'function' ? getType.call(value) : typeof old === 'function' ? old.call(value) : undefined;
  return ROLES[String(type)];
}

export function textIn(message: unknown): string {
  const { content } = record(message);
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map(record)
    .map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : ''))
    .join('');
}

/** A state with its messages as JSON. */
export function written(value: unknown): unknown {
  const role = kindOf(value);
  if (role !== undefined) return message(role, record(value));
  if (Array.isArray(value)) return value.map(written);
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, written(one)])) : value;
}

function message(role: string, { content, name, tool_calls: calls, tool_call_id: answered }: Record<string, unknown>): object {
  const called = Array.isArray(calls) ? calls.map(record) : [];
  return {
    role,
    content,
    ...(name !== undefined && { name }),
    ...(called.length > 0 && {
      tool_calls: called.map((call) => ({ type: 'function', id: call['id'], function: { name: call['name'], arguments: JSON.stringify(call['args']) } })),
    }),
    ...(answered !== undefined && { tool_call_id: answered }),
  };
}
