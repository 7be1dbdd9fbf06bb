import { Accordion, FileButton, Button, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type DragEvent } from 'react';
import { Failure } from '../../kit/failure.tsx';
import { type Beside, payloadSha256 } from './checks.ts';
import { decode } from './decode.ts';
import { Verified } from './verified.tsx';

const MOST_CHARACTERS = 2_000_000;
const MOST_RECEIPTS = 20;

export function Pasted() {
  const [text, setText] = useState('');
  const [args, setArgs] = useState('');
  const [result, setResult] = useState('');
  const [error, setError] = useState<Error>();
  const [settled] = useDebouncedValue(text.trim(), 200);
  const tokens = settled === '' ? [] : settled.split(/\s+/).slice(0, MOST_RECEIPTS);
  const hashes = usePayloadHashes(tokens);
  const take = (file: File | null | undefined): void => {
    if (!file) return;
    setError(file.size > MOST_CHARACTERS ? new Error('The file is too large for a receipt.') : undefined);
    if (file.size <= MOST_CHARACTERS) file.text().then(setText, setError);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  };
  const [ofArgs, ofResult] = [jsonOf(args), jsonOf(result)];
  return (
    <Stack>
      <div onDrop={onDrop} onDragOver={(event) => event.preventDefault()}>
        <Textarea
          label="Receipt"
          description="Paste its text, or drop a file here. Several receipts, separated by white space, are checked against each other."
          placeholder="eyJ0eXBlIjoic3ZjLnJlY2VpcHQudjEi…"
          autosize
          minRows={3}
          maxRows={8}
          maxLength={MOST_CHARACTERS}
          spellCheck={false}
          dir="ltr"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <Group gap="xs">
        <FileButton onChange={take} accept=".txt,.jwt,text/plain">
          {(props) => (
            <Button {...props} variant="default" size="xs">
              Choose a file
            </Button>
          )}
        </FileButton>
        {text !== '' && (
          <Button variant="subtle" color="gray" size="xs" onClick={() => setText('')}>
            Clear
          </Button>
        )}
      </Group>
      {error && <Failure error={error} />}
      <Accordion variant="contained" chevronPosition="left">
        <Accordion.Item value="beside">
          <Accordion.Control>
            <Text size="sm">Compare with arguments and result</Text>
          </Accordion.Control>
          <Accordion.Panel>
            <Stack gap="xs">
              <JsonArea label="Arguments, as JSON" value={args} onChange={setArgs} error={ofArgs.error} />
              <JsonArea label="Result, as JSON" value={result} onChange={setResult} error={ofResult.error} />
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
      {tokens.map((token, index) => (
        <Stack key={`${index} ${token.slice(-20)}`} gap="sm">
          {tokens.length > 1 && <Title order={2}>Receipt {index + 1}</Title>}
          <Verified
            token={token}
            beside={{ ...besideOf(hashes, token), ...('value' in ofArgs && { args: ofArgs.value }), ...('value' in ofResult && { result: ofResult.value }) }}
          />
        </Stack>
      ))}
    </Stack>
  );
}

function JsonArea({ label, value, onChange, error }: { label: string; value: string; onChange(text: string): void; error: string | undefined }) {
  return (
    <Textarea
      label={label}
      autosize
      minRows={2}
      maxRows={8}
      maxLength={MOST_CHARACTERS}
      spellCheck={false}
      dir="ltr"
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function jsonOf(text: string): { value?: unknown; error: string | undefined } {
  if (text.trim() === '') return { error: undefined };
  try {
    return { value: JSON.parse(text), error: undefined };
  } catch {
    return { error: 'This is not JSON.' };
  }
}

type Hashes = Map<string, { agent: string; seq: number; hash: string }>;

/** By token, of those that can be read. */
function usePayloadHashes(tokens: readonly string[]): Hashes {
  const { data } = useQuery({
    queryKey: ['receipt hashes', tokens],
    enabled: tokens.length > 1,
    queryFn: async () => {
      const hashes: Hashes = new Map();
      for (const token of tokens) {
        try {
          const decoded = decode(token);
          hashes.set(token, { agent: decoded.payload.agent.name, seq: decoded.payload.seq, hash: await payloadSha256(decoded) });
        } catch {
          // Its own check says what is wrong with it.
        }
      }
      return hashes;
    },
  });
  return data ?? new Map();
}

function besideOf(hashes: Hashes, token: string): Beside {
  const own = hashes.get(token);
  if (!own) return {};
  return { previous: [...hashes.values()].find(({ agent, seq }) => agent === own.agent && seq === own.seq - 1)?.hash };
}
