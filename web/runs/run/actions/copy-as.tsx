import { Button } from '@mantine/core';
import { IconChevronDown, IconCopy } from '@tabler/icons-react';
import { copyText } from '../../../kit/clipboard.ts';
import { OpensMenu } from '../../../kit/opens.tsx';
import { tell } from '../../../kit/toasts.tsx';
import { type CallToCopy, cliOf, curlOf, typescriptOf } from '../snippets.ts';
import { useRunInput } from '../use-run.ts';

const FORMS: [label: string, of: (call: CallToCopy) => string][] = [
  ['curl', curlOf],
  ['CLI', cliOf],
  ['TypeScript', typescriptOf],
];

/** The same call, to be pasted elsewhere. */
export function CopyAs({ runId, agent, skill }: { runId: string; agent: string; skill: string }) {
  const { data: input } = useRunInput(runId);
  const copy = (label: string, of: (call: CallToCopy) => string): void => {
    const text = of({ origin: location.origin, agent, skill, args: input?.args ?? {} });
    copyText(text).then(
      () => tell.done(`Copied as ${label}${input?.args ? '' : ', without arguments: they are not kept'}.`),
      (error: unknown) => tell.failed(error),
    );
  };
  return (
    <OpensMenu
      button={
        <Button variant="default" size="xs" leftSection={<IconCopy size={14} />} rightSection={<IconChevronDown size={14} />}>
          Copy as
        </Button>
      }
      items={FORMS.map(([label, of]) => ({ label, onAct: () => copy(label, of) }))}
    />
  );
}
