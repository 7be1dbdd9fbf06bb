// A machine with the agent's repository, behind SSH. The browser has no key of the reader's: the commands are
// for their terminal.
import { Stack, Text } from '@mantine/core';
import { Code } from '../../kit/code.tsx';
import { Section } from '../../kit/page.tsx';
import { useMine } from './frame.tsx';

export function DevBox() {
  const { name } = useMine();
  const alias = `svc-${name}`;
  const commands: { title: string; text: string; about: string }[] = [
    { title: 'Open a shell', text: `svc ssh ${name}`, about: 'The first time makes the box, which takes minutes, and writes the alias for ssh.' },
    {
      title: 'Open it in an editor',
      text: `code --remote ssh-remote+${alias} /home/agent/${name}`,
      about: 'VS Code with Remote-SSH. For other editors, svc ssh --print prints the folder.',
    },
    { title: 'Copy files', text: `rsync -a FOLDER/ ${alias}:FOLDER/`, about: 'scp and sftp work as well.' },
    {
      title: 'For programs that cannot start a command',
      text: `svc ssh ${name} --tunnel --port 2222`,
      about: 'The box is served at a local port until Ctrl-C.',
    },
  ];
  return (
    <Section
      title="Dev box"
      lead="In the terminal: a machine of your own with Node, Python, git, the SDK and this repository. It sleeps when no connection is open, and keeps the files of its home folder."
    >
      <Stack data-terminal>
        {commands.map(({ title, text, about }) => (
          <div key={title}>
            <Text fw={600} size="sm">
              {title}
            </Text>
            <Code text={text} label={title} />
            <Text size="sm" c="dimmed" mt={4}>
              {about}
            </Text>
          </div>
        ))}
        <Text size="sm" c="dimmed">
          Your key stays on your machine: the box takes the key that svc ssh made for it, and no other.
        </Text>
      </Stack>
    </Section>
  );
}
