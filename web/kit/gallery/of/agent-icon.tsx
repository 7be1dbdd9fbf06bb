import { AgentIcon } from '../../agent-icon.tsx';
import type { States } from '../states.ts';

export const agentIcon: States = {
  'in a list': () => <AgentIcon name="greeter" />,
  'beside a title': () => <AgentIcon name="text-kit" size={36} />,
};
