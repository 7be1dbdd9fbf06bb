import { Action, AskingAction } from '../../action.tsx';
import type { States } from '../states.ts';

const nothing = (): void => undefined;

export const action: States = {
  'can be done': () => <Action label="Save" onAct={nothing} />,
  'is being done': () => <Action label="Save" onAct={nothing} loading />,
  'cannot be done, and says why': () => <Action label="Publish" onAct={nothing} not="Publishing is blocked: confirm the open finding first" />,
  'asks first': () => (
    <AskingAction label="Delete file" question="Delete report.md?" onAct={nothing}>
      It cannot be undone.
    </AskingAction>
  ),
  'asks for the name first': () => <AskingAction label="Delete agent" question="Delete greeter?" typed="greeter" color="red" onAct={nothing} />,
};
