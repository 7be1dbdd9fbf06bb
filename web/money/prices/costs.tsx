// What a call costs, before it is made.
import { Text } from '@mantine/core';
import { freeWords, type PriceWords, priceWords } from '#contract/money/price-words.ts';

export function Costs({ price, isOwn }: { price: PriceWords | undefined; isOwn: boolean }) {
  if (!price) return null;
  return (
    <Text size="sm" mt={4}>
      Costs {priceWords(price)}. {freeWords(price)} {isOwn ? 'Your own calls of it cost nothing.' : 'Only calls that go well are paid.'}
    </Text>
  );
}
