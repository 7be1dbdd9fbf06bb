// An answer as it comes together from its pieces, on either wire.
import { NumberOutOfRange, parseExact } from '../../../contract/wire/exact-json.ts';
import { ModelFailed } from '../authoring/errors.ts';
import type { LlmFinishReason, LlmResult, LlmToolCall, LlmUsage } from '../authoring/llm.ts';

/** Of one answer; a model's own limits are far below. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

export class Collected {
  model = '';
  finish: LlmFinishReason | undefined;
  usage: LlmUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
  #text = '';
  #characters = 0;
  readonly #calls = new Map<number, { id: string; name: string; json: string }>();

  say(text: string): string {
    this.#grow(text);
    this.#text += text;
    return text;
  }

  call(index: number, { id, name, json = '' }: { id?: string | null | undefined; name?: string | null | undefined; json?: string | null | undefined }): void {
    const call = this.#calls.get(index) ?? { id: '', name: '', json: '' };
    const more = json ?? '';
    this.#grow(more);
    this.#calls.set(index, { id: id ?? call.id, name: name ?? call.name, json: call.json + more });
  }

  /** @throws ModelFailed where the answer has no end */
  result(): LlmResult {
    if (this.finish === undefined) throw new ModelFailed("the model's answer broke off before its end", { code: 'model_broke_off', status: 0 });
    const toolCalls = [...this.#calls].sort(([one], [other]) => one - other).map(([, call]) => toolCall(call));
    return { text: this.#text, toolCalls, finishReason: this.finish, usage: this.usage, model: this.model };
  }

  #grow(text: string): void {
    this.#characters += text.length;
    if (this.#characters > MOST_CHARACTERS) throw badAnswer(`it is longer than ${MOST_CHARACTERS} characters`);
  }
}

function toolCall({ id, name, json }: { id: string; name: string; json: string }): LlmToolCall {
  return { id, name, arguments: argumentsOf(name, json) };
}

function argumentsOf(name: string, json: string): Record<string, unknown> {
  try {
    const value: unknown = parseExact(json === '' ? '{}' : json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    if (error instanceof NumberOutOfRange) throw badAnswer(`the arguments for the tool "${name}": ${error.message}`);
  }
  throw badAnswer(`the arguments for the tool "${name}" are no JSON object`);
}

export function badAnswer(why: string): ModelFailed {
  return new ModelFailed(`the model's answer cannot be used: ${why}`, { code: 'model_bad_answer', status: 0 });
}
