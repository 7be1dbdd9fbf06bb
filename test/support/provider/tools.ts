// Which tool a model without a script calls, and with what: the first one, once; then it speaks.
import { z } from 'zod';
import type { Called } from './answering.ts';

const Named = z.object({ name: z.string(), parameters: z.object({ properties: z.record(z.string(), z.unknown()).default({}) }).optional() });
const Tool = z.union([z.object({ function: Named }).transform(({ function: named }) => named), Named]);
const Asked = z.object({ tools: z.array(z.unknown()).min(1), messages: z.array(z.unknown()).default([]), input: z.unknown().optional() });
const CITY = 'Łódź';

/** None where the request has no tools, or its last word is a tool's answer. */
export function chosenCalls(body: Record<string, unknown>): Called[] {
  const asked = Asked.safeParse(body);
  if (!asked.success) return [];
  const { tools, messages, input } = asked.data;
  const last = [messages, input].flatMap((said) => (Array.isArray(said) ? [said.at(-1)] : [])).findLast((one) => one !== undefined);
  if (isAnswer(last)) return [];
  const { name, parameters } = Tool.parse(tools[0]);
  const filled = argumentsFor(parameters?.properties ?? {});
  return [{ name, arguments: Object.keys(filled).length > 0 ? filled : { city: CITY } }];
}

function argumentsFor(properties: Record<string, unknown>): Record<string, unknown> {
  const Typed = z.object({ type: z.string().default('string') });
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Typed.parse(schema).type === 'string' ? CITY : 7]));
}

function isAnswer(said: unknown): boolean {
  return z.union([z.object({ role: z.literal('tool') }), z.object({ type: z.literal('function_call_output') })]).safeParse(said).success;
}
