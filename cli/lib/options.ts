// Options that many commands have.
import { Option } from 'clipanion';

/** Of a command about the project itself. */
export const projectOption = (): string => Option.String('--project,-p', '.', { description: 'folder of the project' });

/** Of a command about an agent, which the project may name. */
export const agentsProjectOption = (): string => Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
