import { Accordion, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ReceiptPayload } from '#contract/wire/receipt.ts';
import { Code, Json } from '../../kit/code.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { number } from '../../kit/number.ts';
import { Facts } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { duration } from '../../kit/time.ts';
import { When } from '../../kit/when.tsx';
import { dollars } from '../../kit/dollars.ts';
import { inWords } from '../../kit/in-words.ts';

/** What a receipt says. All of it is in the JSON below. */
export function ReceiptFacts({ payload, token }: { payload: ReceiptPayload; token: string }) {
  const { agent, caller, files, tool_calls: tools, handoffs } = payload;
  return (
    <>
      <Facts
        of={{
          Receipt: <Copyable value={payload.receipt_id} label="receipt id" />,
          Outcome: (
            <>
              <State of={payload.status} /> {payload.error_code}
            </>
          ),
          Agent: `${agent.name} ${agent.version}`,
          Skill: payload.skill,
          Caller: [caller.kind, caller.id].filter(Boolean).join(' '),
          Ended: <When at={payload.ended_at} />,
          Took: duration(payload.duration_ms),
          Cost: payload.charge && costOf(payload.charge),
          Grants: lines(payload.grants),
          Files: lines(files.map((file) => `${file.operation} ${file.path}`)),
          Tools: lines(tools.map((tool) => `${tool.name}: ${tool.status}, ${duration(tool.duration_ms)}`)),
          Calls: lines(handoffs.map((call) => `${call.agent}.${call.skill}: ${call.status}`)),
          Decisions: payload.decisions && lines(payload.decisions.map(decisionOf)),
          'Left out': payload.left_out && lines(Object.entries(payload.left_out).map(([what, count]) => `${number(Number(count))} more ${inWords(what)}`)),
          'SHA-256 of the arguments': <code>{payload.input_sha256}</code>,
          'SHA-256 of the result': payload.output_sha256 && <code>{payload.output_sha256}</code>,
          Runtime: <code>{payload.runtime}</code>,
        }}
      />
      <Accordion variant="contained" chevronPosition="left">
        <Accordion.Item value="json">
          <Accordion.Control>
            <Text size="sm">As JSON</Text>
          </Accordion.Control>
          <Accordion.Panel>
            <Json value={payload} label="Receipt" />
          </Accordion.Panel>
        </Accordion.Item>
        <Accordion.Item value="token">
          <Accordion.Control>
            <Text size="sm">As signed: to check it elsewhere</Text>
          </Accordion.Control>
          <Accordion.Panel>
            <Code text={token} maxHeight={160} label="Receipt as signed" />
            <Text size="sm" c="dimmed" mt="xs">
              Saved as receipt.txt: <code>svc receipt verify --token @receipt.txt</code>
            </Text>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </>
  );
}

function costOf({ free, amount_micros, max_micros, units }: NonNullable<ReceiptPayload['charge']>): string {
  const { seconds, tokens, artifacts } = units;
  const counted = [seconds > 0 && `${seconds} s`, tokens > 0 && `${tokens} tokens`, artifacts > 0 && `${artifacts} artifacts`].filter(Boolean).join(', ');
  if (free) return 'nothing: a free call';
  return `${dollars(amount_micros)} of at most ${dollars(max_micros)}${counted === '' ? '' : `, for ${counted}`}`;
}

const MOST = 50;

// words: shown
function lines(all: readonly string[]): ReactNode {
  if (all.length === 0) return 'none';
  return (
    <>
      {all.slice(0, MOST).map((line, index) => (
        <div key={index}>{line}</div>
      ))}
      {all.length > MOST && <div>and {all.length - MOST} more</div>}
    </>
  );
}

function decisionOf({ kind, state, wait_id, arguments_sha256: sha256 }: NonNullable<ReceiptPayload['decisions']>[number]): string {
  return `${inWords(kind)} ${state}, ${wait_id}${sha256 === null ? '' : `, arguments ${sha256}`}`;
}
