import { fromMastra } from '@svc/sdk/adapters/mastra';
import { support } from './support.ts';

export default fromMastra(support, {
  name: 'mastra-support',
  description: 'Answers customers of a shop, and pays back what a person approves.',
  resources: { memory: '512Mi' },
});
