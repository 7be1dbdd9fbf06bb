import { run } from '@openai/agents';
import { fromOpenAIAgents } from '@svc/sdk/adapters/openai-agents';
import { support } from './support.ts';

export default fromOpenAIAgents(support, {
  run,
  name: 'openai-agents-support',
  description: 'Answers customers of a shop, and pays back what a person approves.',
});
