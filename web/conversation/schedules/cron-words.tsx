// A cron expression in words; until the words are there, the expression.
import { useQuery } from '@tanstack/react-query';
import { cronFault, parseCron } from '#contract/conversation/cron.ts';

export function CronWords({ cron }: { cron: string }) {
  const { data } = useQuery({ queryKey: ['cron words', cron], staleTime: Infinity, retry: false, queryFn: () => inWords(cron) });
  return <>{data ?? cron}</>;
}

async function inWords(cron: string): Promise<string> {
  if (cronFault(cron) !== undefined) return cron;
  const { toString } = await import('cronstrue');
  const words = toString(cron, { use24HourTimeFormat: true, throwExceptionOnParseError: false });
  return parseCron(cron).eitherDay ? `${words} (one of these days is enough)` : words;
}
