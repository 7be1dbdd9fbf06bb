import { Text } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { List, Under } from '../../kit/list.tsx';
import { Section } from '../../kit/page.tsx';
import { dollars } from '../../kit/dollars.ts';
import { ModelsPage } from '../models-page.tsx';
import { number } from '../../kit/number.ts';

type Provider = Output<'llmCreds', 'catalog'>['items'][number];

export function Catalog() {
  const { items } = useRead('llmCreds', 'catalog', {});
  return (
    <ModelsPage lead="Providers, their models and prices, as this installation knows them. Prices are for a million tokens.">
      {items.map((provider) => (
        <ProviderModels key={provider.provider} of={provider} />
      ))}
    </ModelsPage>
  );
}

function ProviderModels({ of: { provider, title, protocol, base_url: url, needs_key: needsKey, default_model: standard, models } }: { of: Provider }) {
  return (
    <Section
      title={title}
      lead={
        <>
          <code>{provider}</code>, speaks the protocol of {protocol === 'openai' ? 'OpenAI' : 'Anthropic'}
          {url ? ` at ${url}` : '; you name its address'}
          {needsKey ? '' : '; needs no key'}.
        </>
      }
    >
      <List
        label={`Models of ${title}`}
        pages={models}
        keyOf={({ model }) => model}
        empty={
          <Text size="sm" c="dimmed">
            The catalog knows no models of it. Name one when you add it, with a price of your own where you set a budget.
          </Text>
        }
        columns={[
          { head: 'Model', wide: true, cell: (one) => <Name of={one} isStandard={one.model === standard} /> },
          { head: 'Context', end: true, cell: ({ context_tokens: tokens }) => (tokens == null ? '–' : number(tokens)) },
          { head: 'Input', end: true, cell: ({ price }) => (price ? dollars(price.input_micros_per_mtok) : 'none') },
          {
            head: 'Cached',
            end: true,
            cell: ({ price }) => (price?.cached_input_micros_per_mtok === undefined ? '–' : dollars(price.cached_input_micros_per_mtok)),
          },
          { head: 'Output', end: true, cell: ({ price }) => (price ? dollars(price.output_micros_per_mtok) : '–') },
          { head: 'As of', end: true, cell: ({ as_of: at }) => <span style={{ whiteSpace: 'nowrap' }}>{at}</span> },
        ]}
      />
    </Section>
  );
}

function Name({ of: { model, price }, isStandard }: { of: Provider['models'][number]; isStandard: boolean }) {
  const long = price?.long_input;
  return (
    <>
      <code>{isStandard ? `${model} (default)` : model}</code>
      {long && (
        <Under>
          {dollars(long.input_micros_per_mtok)} and {dollars(long.output_micros_per_mtok)} where the input is longer than {number(long.above_tokens)} tokens
        </Under>
      )}
    </>
  );
}
