// The agent frameworks that the Python SDK has adapters for: an environment for each, with nothing of
// another, in the lowest and the newest version.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pythonWith, SDK } from './python.ts';

export interface Framework {
  /**
   * Its adapter is svc.adapters.<name>, which tests/adapters/test_<name>.py tests; the extra of the SDK has
   * "-".
   */
  name: string;
  newest: readonly string[];
  lowest: readonly string[];
  /** Hundreds of megabytes to install: proved outside of the normal run alone. */
  large?: true;
  /** Of examples/. */
  folder: string;
  /** How its example is called, and what the person says who is asked. */
  example: { entrypoint: string; skill: string; args: Record<string, unknown>; answer?: string | Record<string, unknown>; result: unknown; text: string };
}

const refunds = { entrypoint: 'agent:Refunds', skill: 'run', args: { message: 'Please refund order 7.' } };
/** What the scripted model says, before and after it calls the tool. */
const WORDS = 'Hello, wörld 🙂';

export const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'langgraph',
    folder: 'langgraph-python',
    newest: ['langgraph==1.2.24', 'langchain==1.5.2', 'langchain-openai==1.7.4'],
    lowest: ['langgraph==1.0.0', 'langchain==1.0.0', 'langchain-openai==1.0.0'],
    example: { ...refunds, answer: 'yes', result: WORDS, text: WORDS + WORDS },
  },
  {
    name: 'openai_agents',
    folder: 'openai-agents-python',
    newest: ['openai-agents==0.24.0'],
    // It asks for any later client, and does not read what the newest ones say.
    lowest: ['openai-agents==0.8.0', 'openai==2.16.0'],
    example: { ...refunds, answer: { approved: true }, result: WORDS, text: WORDS + WORDS },
  },
  {
    name: 'pydantic_ai',
    folder: 'pydantic-ai',
    newest: ['pydantic-ai-slim[openai]==2.68.0'],
    // Version 1 does not end the tools of a cancelled run.
    lowest: ['pydantic-ai-slim[openai]==2.0.0', 'openai==2.30.0'],
    example: { ...refunds, answer: { approved: true }, result: WORDS, text: WORDS + WORDS },
  },
  {
    name: 'google_adk',
    large: true,
    folder: 'google-adk-python',
    newest: ['google-adk==2.13.0', 'litellm==1.110.2'],
    lowest: ['google-adk==2.0.0', 'litellm==1.83.0'],
    example: { ...refunds, answer: { approved: true }, result: WORDS, text: WORDS + WORDS },
  },
  {
    name: 'crewai',
    large: true,
    folder: 'crewai',
    newest: ['crewai==1.15.30'],
    lowest: ['crewai==1.15.2'],
    example: { ...refunds, answer: { approved: true }, result: WORDS, text: WORDS + WORDS },
  },
  {
    name: 'fastapi',
    folder: 'fastapi',
    newest: ['fastapi==0.165.0', 'python-multipart==0.0.20'],
    lowest: ['fastapi==0.110.0', 'python-multipart==0.0.20'],
    example: { entrypoint: 'agent:Refunds', skill: 'refund', args: { order: 'Łódź' }, result: 'Order Łódź is refunded.', text: 'Order Łódź is refunded.' },
  },
];

export const dashed = (name: string): string => name.replaceAll('_', '-');
export const EXAMPLES = join(import.meta.dirname, '../../../examples');
export const exampleOf = ({ folder }: Framework): string => join(EXAMPLES, folder);

/** The interpreter of a framework's environment, made once. */
export function frameworkPython(framework: Framework, which: 'newest' | 'lowest'): Promise<string> {
  const packages = ['-e', SDK, 'pytest==8.4.2', ...framework[which]];
  const key = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 8);
  return pythonWith(`${dashed(framework.name)}-${which}-${key}`, packages);
}
