import { fromAISDK } from '@svc/sdk/adapters/ai-sdk';
import { support } from './support.ts';

export default fromAISDK(support, {
  name: 'ai-sdk-support',
  description: 'Answers customers of a shop, and pays back what a person approves.',
});
