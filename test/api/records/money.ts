// Ways to language models.
import type { AreaRecords } from './area.ts';

export const moneyRecords = async (): Promise<AreaRecords> => ({
  params: {},
  calls: { 'llmCreds.put': { body: { name: 'main', provider: 'openai', api_key: 'sk-example-0123456789' } } },
});
