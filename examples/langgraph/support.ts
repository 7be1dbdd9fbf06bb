// A graph as LangGraph's documentation has them: a model, its tools, and an interrupt before one of them
// acts.
import { tool } from '@langchain/core/tools';
import { interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { orderOf, refund } from './orders.ts';

const lookUpOrder = tool(async ({ orderId }) => JSON.stringify(orderOf(orderId)), {
  name: 'lookUpOrder',
  description: 'What is known of an order',
  schema: z.object({ orderId: z.string() }),
});

const refundOrder = tool(
  async ({ orderId, amount }) => {
    const answer: string = interrupt({ question: `Pay ${amount} EUR back for ${orderId}? (yes or no)` });
    return answer === 'yes' ? JSON.stringify({ refunded: amount, refunds: refund(orderId, amount) }) : 'It was not approved.';
  },
  { name: 'refundOrder', description: 'Pays an amount back', schema: z.object({ orderId: z.string(), amount: z.number().positive() }) },
);

const tools = [lookUpOrder, refundOrder];
const model = new ChatOpenAI({ model: 'gpt-4.1-mini' }).bindTools(tools);

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addNode('tools', new ToolNode(tools))
  .addEdge(START, 'agent')
  .addConditionalEdges('agent', toolsCondition)
  .addEdge('tools', 'agent')
  .compile({ checkpointer: new MemorySaver() });
