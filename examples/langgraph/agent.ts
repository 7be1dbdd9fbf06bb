import { fromLangGraph } from '@svc/sdk/adapters/langgraph';
import { graph } from './support.ts';

export default fromLangGraph(graph, {
  name: 'langgraph-support',
  description: 'Answers customers of a shop, and pays back what a person approves.',
});
