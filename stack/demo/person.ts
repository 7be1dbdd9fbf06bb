// Who signed in: calls skills, watches what they say, answers what they ask. Over the API, as any program
// would.
import { join } from 'node:path';
import { CredentialStore } from '#cli/login/credentials.ts';
import { readEvents } from '#cli/lib/sse.ts';
import { type Client, createClient } from '#contract/client.ts';
import type { Contract } from '#contract/index.ts';
import { AgentEvent, FailedPayload, QuestionPayload, ReceiptPayload, ResultPayload, ScopeRequestPayload } from '#contract/wire/events.ts';

interface Answers {
  onEvent?: (event: AgentEvent) => void | Promise<void>;
  /** The answer; default: the question stays open. */
  onQuestion?: (prompt: string, questionId: string) => string | undefined;
  onScope?: (wish: ReturnType<typeof ScopeRequestPayload.parse>) => { decision: 'approve' | 'deny'; reason?: string } | undefined;
}

export interface Watched {
  result: unknown;
  events: AgentEvent[];
  receiptId: string;
}

export interface Person {
  client: Client<Contract>;
  /** Throws with the skill's own words when it failed. */
  watch(agent: string, skill: string, args: Record<string, unknown>, answers?: Answers): Promise<Watched>;
  put(path: string, content: string): Promise<void>;
}

export async function signedIn(baseUrl: string, home: string): Promise<Person> {
  const token = (await new CredentialStore(join(home, '.svc')).get(baseUrl))?.access_token;
  return personOf(createClient({ baseUrl, token }));
}

export function personOf(client: Client<Contract>): Person {
  const answer = async ({ kind, payload }: AgentEvent, { onQuestion, onScope }: Answers) => {
    if (kind === 'question') {
      const { question_id, prompt } = QuestionPayload.parse(payload);
      const reply = onQuestion?.(prompt, question_id);
      if (reply !== undefined) await client.chat.answerQuestion({ params: { question_id }, body: { answer: reply } });
    }
    if (kind === 'scope_request') {
      const wish = ScopeRequestPayload.parse(payload);
      const decided = onScope?.(wish);
      if (decided) await client.chat.decideScope({ params: { approval_id: wish.request_id }, body: decided });
    }
  };
  return {
    client,
    async watch(name, skill_name, body, answers = {}) {
      const response = await client.agents.invoke({ params: { name, skill_name }, body });
      const events: AgentEvent[] = [];
      const seen = <T>(kind: string, parse: (payload: unknown) => T): T | undefined => {
        const firstEvent = events.find((event) => event.kind === kind);
        return firstEvent && parse(firstEvent.payload);
      };
      for await (const { data } of readEvents(response)) {
        const event = AgentEvent.parse(data);
        events.push(event);
        await answers.onEvent?.(event);
        await answer(event, answers);
      }
      const failed = seen('failed', (payload) => FailedPayload.parse(payload));
      if (failed) throw new Error(`${name} ${skill_name} failed (${failed.detail.code}): ${failed.detail.message}`);
      const { result } = seen('result', (payload) => ResultPayload.parse(payload)) ?? {};
      return { result, events, receiptId: seen('receipt', (payload) => ReceiptPayload.parse(payload))?.receipt_id ?? '' };
    },
    async put(path, content) {
      const form = new FormData();
      form.set('path', path);
      form.set('file', new Blob([content]), path.split('/').at(-1));
      await client.files.upload({ body: form });
    },
  };
}
