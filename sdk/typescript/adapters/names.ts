// Entries of the package for agents of other frameworks: @svc/sdk/adapters/NAME.
export const ADAPTERS = ['ai-sdk', 'langgraph', 'openai-agents', 'mastra', 'google-adk', 'express'] as const;
