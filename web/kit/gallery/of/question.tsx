import { Question } from '../../question.tsx';
import type { States } from '../states.ts';
import { ShowOnPress } from '../on-request.tsx';

const nothing = (): void => undefined;
const always = { isOpen: true, onAct: nothing, onClose: nothing };

export const question: States = {
  asks: () => (
    <ShowOnPress>
      <Question question="Delete report.md?" label="Delete file" {...always}>
        It cannot be undone.
      </Question>
    </ShowOnPress>
  ),
  'asks for the name': () => (
    <ShowOnPress>
      <Question question="Delete greeter?" label="Delete agent" typed="greeter" {...always} />
    </ShowOnPress>
  ),
};
