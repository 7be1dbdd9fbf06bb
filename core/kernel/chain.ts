/** Name of the agent in a step of a chain of calls: `agent/skill`. */
export const agentOfStep = (step: string): string => step.slice(0, step.indexOf('/'));
