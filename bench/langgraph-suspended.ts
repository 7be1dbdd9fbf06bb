// `node bench/langgraph-suspended.ts [calls]`: an agent of LangGraph in Python whose machine is suspended to
// disk, from the call to the first word of its model, which is a local server that answers at once. Beside it
// the same awake, and an agent of ours in Python that says a word without a model. Target under emulation on
// two cores: p50 < 400 ms.
import { request } from 'node:http';
import { loadavg } from 'node:os';
import { hostRuntime } from '#drivers/runtime/client.ts';
import { signedIn } from '#stack/demo/person.ts';
import { places } from '#stack/settings.ts';
import { installation, ok } from '#test/e2e/installation.ts';
import { startProvider } from '#test/support/provider/provider.ts';
import { median } from './ratio.ts';

const calls = Number(process.argv[2] ?? 20);
const ends = { langgraph: 'bench-langgraph', plain: 'bench-plain' } as const;
const langgraph = `import os

from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from svc import Resources
from svc.adapters.langgraph import from_langgraph

model = ChatOpenAI(model="m-1", max_retries=1)


async def chat(state: MessagesState):
    return {"messages": [await model.ainvoke(state["messages"])]}


graph = StateGraph(MessagesState).add_node("chat", chat).add_edge(START, "chat").compile()
Chat = from_langgraph(graph, name="${ends.langgraph}", description="Chats.", input=str, output=str, resources=Resources(memory="512Mi"))
`;
const plain = `from svc import Agent, RunContext, skill


class Chat(Agent):
    name = "${ends.plain}"
    description = "Says a word."
    version = "0.1.0"

    @skill(stream=True)
    async def run(self, ctx: RunContext, message: str) -> str:
        await ctx.emit_text_delta("Hello")
        return "Hello"
`;
const manifest = (name: string, more = ''): string => `name: ${name}\nversion: 0.1.0\nentrypoint: agent:Chat\n${more}`;

const provider = await startProvider();
const i = await installation({ SVC_LLM_LOCAL_HOSTS: provider.host, SVC_PAUSE_AFTER_SECONDS: '100000', SVC_SUSPEND_AFTER_SECONDS: '100000' });
try {
  ok(await i.stack('up'));
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  const ada = await signedIn(i.baseUrl, i.home);
  await ada.client.llmCreds.put({
    body: { name: 'main', provider: 'openai_compatible', base_url: provider.url, api_key: 'sk-0123456789abcdefghij', model: 'm-1' },
  });
  const files = {
    'svc.yaml': manifest(ends.langgraph, 'models:\n  paid_by: owner\n'),
    'requirements.txt': 'langchain-openai==1.7.4\nlanggraph==1.2.24\n',
    'agent.py': langgraph,
  };
  ok(await i.svc('deploy', await i.project(ends.langgraph, files), '--public'));
  ok(await i.svc('deploy', await i.project(ends.plain, { 'svc.yaml': manifest(ends.plain), 'requirements.txt': '', 'agent.py': plain }), '--public'));
  const runtime = hostRuntime({ socketPath: places(i.stateDir).hostSocket });
  const instances = await runtime.instances();
  const took = { langgraph: { suspended: [] as number[], awake: [] as number[] }, plain: { suspended: [] as number[], awake: [] as number[] } };
  for (let n = 0; n < calls + 3; n += 1) {
    for (const which of ['langgraph', 'plain'] as const) {
      const id = instances.find(({ agent }) => agent === ends[which])?.instance_id ?? '';
      await runtime.sleep(id, 'suspended');
      const suspended = await firstWord(ends[which]);
      const awake = await firstWord(ends[which]);
      // The first ones warm up.
      if (n >= 3) {
        took[which].suspended.push(suspended);
        took[which].awake.push(awake);
      }
    }
  }
  for (const which of ['langgraph', 'plain'] as const) {
    const { suspended, awake } = took[which];
    console.log(`${which.padEnd(9)} first word: suspended p50 ${median(suspended).toFixed(0)} ms, awake p50 ${median(awake).toFixed(0)} ms`);
  }
  console.log(`load ${loadavg()[0]?.toFixed(1)} · ${calls} calls each · target for LangGraph suspended: < 400 ms`);
} finally {
  await i.destroy();
  await provider.close();
}

/** Milliseconds from the request to the first word; resolves once the whole answer is here. */
function firstWord(name: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const headers = { host: `${name}.localhost:${i.port}`, 'content-type': 'application/json', accept: 'text/event-stream' };
    const sent = request({ port: i.port, host: '127.0.0.1', method: 'POST', path: '/invoke/run', headers }, (response) => {
      let text = '';
      let first: number | undefined;
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        if (first === undefined && text.includes('event: text_delta')) first = performance.now() - began;
      });
      response.on('end', () => (first === undefined ? reject(new Error(`${name} said no word: ${response.statusCode} ${text}`)) : resolve(first)));
    });
    sent.on('error', reject);
    sent.end('{"message":"Hello?"}');
  });
}
