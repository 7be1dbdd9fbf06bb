// Calls an agent's skills over HTTP: results as JSON, or the run's events as they come. No dependencies; browsers, Node, Deno and Bun.

export interface ClientOptions {
  /** Where the agent answers; default: this page's origin, or the address the client was made for. */
  baseUrl?: string | undefined;
  /** Sent as `Authorization: Bearer …`. */
  token?: string | (() => string | Promise<string>) | undefined;
  fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
}

/** What a running skill reports. `result` and `failed` end a run. */
export interface AgentEvent {
  /** Grows by one. */
  id: number;
  kind: string;
  payload: Record<string, unknown>;
}

export interface Issue {
  path: (string | number)[];
  code: string;
  message: string;
}

/** The agent refused, or the skill failed. Branch on `code`. */
export class AgentError extends Error {
  readonly status: number;
  readonly code: string;
  /** Of the arguments, when the code is skill_input_error. */
  readonly issues: readonly Issue[];
  constructor(status: number, detail: { code?: string; message?: string; issues?: Issue[] } | undefined) {
    super(detail?.message ?? `the agent answered ${status}`);
    this.name = 'AgentError';
    this.status = status;
    this.code = detail?.code ?? 'unknown';
    this.issues = detail?.issues ?? [];
  }
}

export interface SkillClient<Input, Output> {
  (args: Input, options?: CallOptions): Promise<Output>;
  /** The run's events; the generator returns the result. Leaving the loop cancels the run. */
  stream(args: Input, options?: CallOptions): AsyncGenerator<AgentEvent, Output>;
}

export function skillClient<Input, Output>(skill: string, defaults: ClientOptions, options: ClientOptions): SkillClient<Input, Output> {
  const send = async (args: Input, accept: string, { signal, headers }: CallOptions): Promise<Response> => {
    const token = options.token ?? defaults.token;
    const bearer = typeof token === 'function' ? await token() : token;
    const response = await (options.fetch ?? fetch)(`${baseOf(defaults, options)}/invoke/${skill}`, {
      method: 'POST',
      body: JSON.stringify(args ?? {}),
      headers: { accept, 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }), ...headers },
      ...(signal && { signal }),
    });
    if (!response.ok) throw new AgentError(response.status, (await response.json().catch(() => undefined))?.detail);
    return response;
  };
  const call = async (args: Input, callOptions: CallOptions = {}): Promise<Output> => (await send(args, 'application/json', callOptions)).json();
  return Object.assign(call, {
    async *stream(args: Input, callOptions: CallOptions = {}): AsyncGenerator<AgentEvent, Output> {
      const response = await send(args, 'text/event-stream', callOptions);
      for await (const event of events(response)) {
        yield event;
        if (event.kind === 'result') return event.payload['result'] as Output;
        if (event.kind === 'failed') throw failure(event.payload);
      }
      throw new AgentError(502, { code: 'stream_broken', message: 'the stream ended before the run did' });
    },
  });
}

function baseOf(defaults: ClientOptions, options: ClientOptions): string {
  const page = (globalThis as { location?: { origin?: string } }).location?.origin;
  return (options.baseUrl ?? defaults.baseUrl ?? page ?? '').replace(/\/+$/, '');
}

function failure(payload: Record<string, unknown>): AgentError {
  const { status, detail } = payload as { status?: number; detail?: { code?: string; message?: string; issues?: Issue[] } };
  return new AgentError(status ?? 500, detail);
}

/** What comes in small pieces is joined once. An event that was cut off is left out. */
async function* events(response: Response): AsyncGenerator<AgentEvent> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let line: string[] = [];
  let event: string[] = [];
  let afterReturn = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const text = decoder.decode(value, { stream: !done }) + (done ? '\n\n' : '');
      if (text === '') continue;
      // A CR at the end of a piece may be half a CRLF.
      const lines = (afterReturn && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\r|\n/);
      afterReturn = text.endsWith('\r');
      const rest = lines.pop() ?? '';
      for (const end of lines) {
        const whole = line.concat(end).join('');
        line = [];
        if (whole !== '') event.push(whole);
        if (whole !== '' || event.length === 0) continue;
        const read = parse(event, done);
        event = [];
        if (read) yield read;
      }
      line.push(rest);
      if (done) return;
    }
  } finally {
    // The reader left before the end: the run is cancelled.
    await reader.cancel().catch(() => undefined);
  }
}

/** One event; undefined for comments, and for what is cut off. */
function parse(lines: readonly string[], last: boolean): AgentEvent | undefined {
  let id = 0;
  const data: string[] = [];
  for (const line of lines) {
    if (line.startsWith('id:')) id = Number(line.slice(3));
    if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
  }
  const text = data.join('\n');
  if (text === '') return undefined;
  try {
    return { id, ...(JSON.parse(text) as Omit<AgentEvent, 'id'>) };
  } catch (error) {
    if (last) return undefined;
    throw error;
  }
}
