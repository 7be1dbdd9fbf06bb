// ctx.llm of one run, over whatever answers.
import type { AgentErrorIssue } from '../../../contract/wire/errors.ts';
import { MAX_EMBEDDED_TEXTS } from '../../../contract/wire/model-use.ts';
import { ModelAnswerInvalid, ModelFailed } from '../authoring/errors.ts';
import type { Llm, LlmEmbeddings, LlmMessage, LlmObjectOptions, LlmOptions, LlmPrompt, LlmResult, LlmStream, StandardSchema } from '../authoring/llm.ts';
import { heard } from '../runtime/heard.ts';
import type { ModelPort, ModelRequest } from './port.ts';
import { answerSchemaOf } from './schema.ts';

/** @param signal of the run: what is under way ends with it */
export function runLlm(port: () => ModelPort, signal: AbortSignal): Llm {
  const generate = async (prompt: LlmPrompt, options: LlmOptions = {}): Promise<LlmResult> => {
    const answer = port().ask(requestOf(prompt, options), { stream: false, signal });
    for (;;) {
      const { done, value } = await answer.next();
      if (done) return value;
    }
  };
  return {
    generate: (prompt, options) => heard(generate(prompt, options)),
    stream: (prompt, options = {}) => {
      const left = new AbortController();
      return new Stream(port().ask(requestOf(prompt, options), { stream: true, signal: AbortSignal.any([signal, left.signal]) }), left);
    },
    object: (given, prompt, options) => heard(object(given, prompt, options)),
    embed: (texts, { model } = {}) => heard(embed(texts, model)),
  };

  async function embed(texts: readonly string[], model: string | undefined): Promise<LlmEmbeddings> {
    // JavaScript may send a single text, whose characters are no texts.
    if (typeof texts === 'string' || texts.length === 0 || texts.length > MAX_EMBEDDED_TEXTS)
      throw new TypeError(`ctx.llm.embed: give a list of 1 to ${MAX_EMBEDDED_TEXTS} texts`);
    return port().embed({ texts, model }, signal);
  }

  async function object<Output>(
    given: StandardSchema<Output> | Readonly<Record<string, unknown>>,
    prompt: LlmPrompt,
    options: LlmObjectOptions = {},
  ): Promise<Output> {
    const { schema, check } = answerSchemaOf(given);
    const messages = messagesOf(prompt);
    const first = await generate(messages, { ...options, schema });
    const checked = await check(first.text);
    if ('value' in checked) return checked.value;
    const again: LlmMessage[] = [
      ...messages,
      // An empty turn is refused by some.
      { role: 'assistant', content: first.text || '(nothing)' },
      { role: 'user', content: `This does not fit the schema: ${placesOf(checked.issues)}. Answer again, with JSON that fits it.` },
    ];
    const second = await generate(again, { ...options, schema });
    const rechecked = await check(second.text);
    if ('value' in rechecked) return rechecked.value;
    const { issues } = rechecked;
    const cut = second.finishReason === 'length' ? ' It was cut off: raise maxTokens.' : '';
    throw new ModelAnswerInvalid(`what ${second.model} answered does not fit the schema, also when asked again: ${placesOf(issues)}.${cut}`, issues);
  }
}

function messagesOf(prompt: LlmPrompt): readonly LlmMessage[] {
  return typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : prompt;
}

/** @throws TypeError */
function requestOf(prompt: LlmPrompt, { system, model, protocol, maxTokens, temperature, tools = [], schema }: LlmOptions): ModelRequest {
  const messages = messagesOf(prompt);
  if (messages.length === 0) throw new TypeError('ctx.llm: give a prompt, or at least one message');
  if (schema && tools.length > 0) throw new TypeError('ctx.llm: give tools or a schema, not both');
  if (schema && schema['type'] !== 'object') throw new TypeError('ctx.llm: the schema must have the type "object"; object() takes every type');
  return {
    messages: system === undefined ? messages : [{ role: 'system', content: system }, ...messages],
    model,
    protocol,
    maxTokens,
    temperature,
    tools,
    schema,
  };
}

function placesOf(issues: readonly AgentErrorIssue[]): string {
  return issues
    .slice(0, 20)
    .map(({ path, message }) => `${path.join('.') || '(top)'}: ${message}`)
    .join('; ');
}

class Stream implements LlmStream {
  readonly #answer: AsyncGenerator<string, LlmResult, void>;
  readonly #result = Promise.withResolvers<LlmResult>();
  readonly #left: AbortController;

  /**
   * @param left ends the request: a generator that waits for its next piece would hear of its reader's
   * leaving only then
   */
  constructor(answer: AsyncGenerator<string, LlmResult, void>, left: AbortController) {
    this.#answer = answer;
    this.#left = left;
    void heard(this.#result.promise);
  }

  [Symbol.asyncIterator](): AsyncIterator<string, undefined> {
    return {
      next: () => heard(this.#next()),
      return: async () => {
        const error = new ModelFailed("the model's answer was not read to its end", { code: 'model_stream_left', status: 0 });
        this.#result.reject(error);
        this.#left.abort(error);
        // What was read from has been ended, and may say so.
        await this.#answer.return(NOTHING).catch(() => undefined);
        return { done: true, value: undefined };
      },
    };
  }

  result(): Promise<LlmResult> {
    return heard(this.#rest());
  }

  async #rest(): Promise<LlmResult> {
    while (!(await this.#next()).done);
    return this.#result.promise;
  }

  async #next(): Promise<IteratorResult<string, undefined>> {
    try {
      const { done, value } = await this.#answer.next();
      if (!done) return { done: false, value };
      // Read again after the end it has no value; the first one stays.
      this.#result.resolve(value);
      return { done: true, value: undefined };
    } catch (error) {
      this.#result.reject(error);
      throw error;
    }
  }
}

/** For an answer without a reader. */
const NOTHING: LlmResult = {
  text: '',
  toolCalls: [],
  finishReason: 'other',
  usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
  model: '',
};
