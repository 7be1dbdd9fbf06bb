// What a service does with the credential of a run that works with it: it exports spans, and is lent the
// caller's model.
import { writeExport } from '#drivers/traces/otlp/write.ts';
import { TRACE_EXPORT_PATH } from '#contract/wire/trace-export.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { eventually, type Play, ran, when } from '../play.ts';

export async function lent(play: Play): Promise<void> {
  const { ada, operator } = play.people;
  const run_id = await ran(play, 'pilot', 'lend', {}, ['waiting']);
  const run: unknown = await (await ada.api.agents.run({ params: { name: 'pilot', run_id } })).json();
  const { items } = await ada.api.workLedger.events({ params: { job_id: String(Object(run).job_id) }, query: {} });
  const run_token = items.map(({ payload }) => String(payload['text'] ?? payload['delta'] ?? '')).find((text) => text.startsWith('svc_run')) ?? '';
  await spans(play, run_token);
  const route = 'POST /v1/platform/llm-grant';
  const { token } = await operator.api.admin.createPlatformToken({ params: { user_id: operator.userId }, body: { service: 'models', routes: [route] } });
  const address = `${play.i.baseUrl}${route.split(' ')[1]}`;
  const made = await posted(address, { authorization: `Bearer ${token}` }, { run_token, budget_micros: 100_000 });
  const messages = [{ role: 'user', content: 'When is high water?' }];
  await posted(`${made['openai_base_url']}/chat/completions`, { authorization: `Bearer ${made['key']}` }, { model: 'm-1', messages, max_tokens: 20 });
  const wait = await eventually('a question', async () => (await ada.api.inbox.waits({ query: {} })).items.find((one) => one.run_id === run_id));
  await ada.api.chat.answerQuestion({ params: { question_id: wait.wait_id }, body: { answer: 'yes' } });
  await eventually('the end of the run', async () => {
    const now: unknown = await (await ada.api.agents.run({ params: { name: 'pilot', run_id } })).json();
    return when(true, Object(now).state === 'succeeded');
  });
}

async function posted(url: string, headers: Record<string, string>, body: object): Promise<Record<string, string>> {
  const answer = await fetch(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return Object(await answer.json());
}

async function spans({ i }: Play, run_token: string): Promise<void> {
  const at = BigInt(Date.now()) * 1_000_000n;
  const span = {
    trace_id: 'ab'.repeat(16),
    span_id: 'cd'.repeat(8),
    parent_id: null,
    name: 'look at the charts',
    kind: 'internal' as const,
    start_ns: at,
    end_ns: at + 5_000_000n,
    status: 'ok' as const,
    message: null,
    attributes: { charts: 3 },
    events: [],
  };
  // Safe: who keeps it, when and under which name is the platform's word.
  const body = writeExport([{ attributes: {}, scope: 'pilot', spans: [span as unknown as Parameters<typeof writeExport>[0][number]['spans'][number]] }]);
  const headers = { 'content-type': 'application/x-protobuf', [HEADER.runToken]: run_token };
  const answer = await fetch(i.baseUrl + TRACE_EXPORT_PATH, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`spans were answered ${answer.status}: ${await answer.text()}`);
}
