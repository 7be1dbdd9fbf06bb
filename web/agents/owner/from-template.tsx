// A project begun in the page, from the templates of the command line tool: a name, a language, and it is
// deployed.
import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { loaders } from 'virtual:templates';
import { fillTemplate } from '#contract/wire/template.ts';
import { read } from '../../api/query.ts';
import { Failure } from '../../kit/failure.tsx';
import { InTerminal } from '../../kit/in-terminal.tsx';
import { packed } from './prepare-project.ts';
import { type Deployed, uploadProject } from './upload-project.ts';

type Language = keyof typeof loaders;

const LANGUAGES: readonly { value: Language; label: string }[] = [
  { value: 'typescript', label: 'TypeScript' },
  { value: 'javascript', label: 'JavaScript' },
  { value: 'python', label: 'Python' },
];
/** As contract/wire/names.ts: the first label of a host name. */
const FORM = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export function FromTemplate({ onDone }: { onDone: (deployed: Deployed) => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [language, setLanguage] = useState<Language>('typescript');
  const [isChecked, setChecked] = useState(false);
  const wrong = name === '' ? 'Required' : FORM.test(name) ? undefined : 'Use lower-case letters, digits and "-"';
  const deploying = useMutation({
    mutationFn: async () => {
      const { version } = await queryClient.ensureQueryData(read('installation', 'get', {}));
      return await uploadProject(await projectOf({ name, description: description || `The agent ${name}.`, language, version }), undefined, () => undefined);
    },
    onSuccess: (deployed) => {
      void queryClient.invalidateQueries({ queryKey: ['agents'] });
      onDone(deployed);
    },
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    setChecked(true);
    if (wrong === undefined) deploying.mutate();
  };
  return (
    <form onSubmit={send} noValidate>
      <Stack maw={520}>
        <TextInput
          label="Name"
          description="Part of its address. Lower-case letters, digits and hyphens."
          value={name}
          error={isChecked && wrong}
          onChange={(event) => setName(event.currentTarget.value)}
          required
        />
        <TextInput
          label="Description"
          description="What it does, for the people who find it."
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <div role="group" aria-label="Language">
          <Text size="sm" fw={500} mb={4}>
            Language
          </Text>
          <SegmentedControl
            aria-label="Language"
            value={language}
            onChange={(value) => setLanguage(LANGUAGES.find((one) => one.value === value)?.value ?? language)}
            data={[...LANGUAGES]}
          />
        </div>
        {deploying.isError && <Failure error={deploying.error} />}
        <Group>
          <Button type="submit" loading={deploying.isPending}>
            Deploy
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          It starts with two skills, one that answers and one that streams. Change them under Code.
        </Text>
        <InTerminal command={`svc init ${name || 'my-agent'} --language ${language}`} />
      </Stack>
    </form>
  );
}

async function projectOf({ name, description, language, version }: { name: string; description: string; language: Language; version: string }): Promise<Blob> {
  const { template } = await loaders[language]();
  const { ref, digest, files } = template;
  const project = fillTemplate(files, { name, description, sdk: '*', lineage: { ref, version, digest, update_policy: 'notify' } });
  return await packed(new Map(Object.entries(project).map(([path, text]) => [path, { content: new Blob([text]), executable: false }])));
}
