import { Question } from '../../question.tsx';
import type { States } from '../states.ts';
import { WhenAsked } from '../when-asked.tsx';

const nothing = (): void => undefined;
const always = { isOpen: true, onAct: nothing, onClose: nothing };

export const question: States = {
  asks: () => (
    <WhenAsked>
      <Question question="Delete report.md?" label="Delete file" {...always}>
        It cannot be undone.
      </Question>
    </WhenAsked>
  ),
  'asks for the name': () => (
    <WhenAsked>
      <Question question="Delete greeter?" label="Delete agent" typed="greeter" {...always} />
    </WhenAsked>
  ),
};
