// Every sentence of the specification that is implemented: its routes of the contract, and what the three
// documents say beside them.
import { contract } from '#contract/index.ts';
import { routesOf, specified } from '#contract/inventory.ts';
import { AGENT_RUNTIME } from './agent-runtime.ts';
import { COMMAND_LINE } from './command-line.ts';
import { CONTROL_PLANE } from './control-plane.ts';

const SENTENCES = { ...CONTROL_PLANE, ...AGENT_RUNTIME, ...COMMAND_LINE } as const;
export type Sentence = keyof typeof SENTENCES;

/** Of all of them, routes too. */
export const sentenceIds = (): string[] => [...Object.keys(SENTENCES), ...specified(routesOf(contract)).map(({ id }) => id)];
