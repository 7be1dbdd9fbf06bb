import { InMemoryRunner } from '@google/adk';
import { fromGoogleADK } from '@svc/sdk/adapters/google-adk';
import { rootAgent } from './support.ts';

export default fromGoogleADK(new InMemoryRunner({ agent: rootAgent, appName: 'support' }), {
  name: 'google-adk-support',
  description: 'Answers customers of a shop, and pays back what a person approves.',
});
