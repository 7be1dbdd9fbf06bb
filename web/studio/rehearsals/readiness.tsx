// What blocks live use, and why.
import { Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { send } from '../../api/client.ts';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { inWords } from '../../kit/in-words.ts';
import { Advice } from '../../kit/advice.tsx';
import { namesInWords } from '../../kit/plain-words.ts';

export function Readiness({ name }: { name: string }) {
  // It is asked with POST, since it says which protocol; it changes nothing.
  const { data } = useSuspenseQuery({
    queryKey: ['protocolSimulations', 'readiness', name],
    queryFn: ({ signal }) => send('protocolSimulations', 'readiness', { params: { name }, body: {} }, { signal }),
  });
  const open = data.items.filter(({ met }) => !met).length;
  return (
    <Section
      title="Readiness"
      lead={
        open === 0
          ? 'Nothing blocks live use. Whether it is used is decided elsewhere: this page enables nothing.'
          : `${open} of ${data.items.length} still block live use of ${data.protocol_ref.id} ${data.protocol_ref.version}. This page enables nothing.`
      }
      actions={<State of={data.ready ? 'ready' : 'pending'} label={data.ready ? 'ready' : 'not ready'} />}
    >
      <List
        label="Requirements for live use"
        pages={data.items}
        keyOf={({ item }) => item}
        empty={<Empty title="Nothing is required." />}
        columns={[
          {
            head: 'Requirement',
            wide: true,
            cell: ({ item, why, remedy, refs }) => (
              <>
                <Text size="sm" fw={600}>
                  {inWords(item)}
                </Text>
                <Text size="sm">{why}</Text>
                {remedy !== null && (
                  <Under>
                    <Advice text={remedy} />
                  </Under>
                )}
                {refs.length > 0 && <Under>{namesInWords(refs.join(', '))}</Under>}
              </>
            ),
          },
          { head: 'Now', end: true, cell: ({ met }) => <State of={met ? 'ok' : 'missing'} label={met ? 'met' : 'open'} /> },
        ]}
      />
    </Section>
  );
}
