// The content of a file that has been fetched.
import { Alert, Image, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useId, useState } from 'react';
import { Code } from '../code.tsx';
import { Markdown } from '../markdown.tsx';
import type { PreviewKind, Shown } from './kind.ts';
import { jsonOf, startOf, type ShownText } from './text.ts';
import { number } from '../number.ts';

const Rows = lazy(async () => ({ default: (await import('./rows.tsx')).Rows }));

export function View({ bytes, shown: { as }, name }: { bytes: Blob; shown: Shown; name: string }) {
  if (bytes.size === 0) return <Alert color="gray">The file is empty.</Alert>;
  if (as === 'image') return <Picture bytes={bytes} name={name} />;
  if (as === 'pdf') return <Pdf bytes={bytes} name={name} />;
  if (as === 'table')
    return (
      <Suspense fallback={<Skeleton h={200} />}>
        <Rows bytes={bytes} name={name} />
      </Suspense>
    );
  return <Words bytes={bytes} as={as} name={name} />;
}

/** An address of the bytes, for as long as the component is there. */
function useAddress(bytes: Blob): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(bytes);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes]);
  return address;
}

function Picture({ bytes, name }: { bytes: Blob; name: string }) {
  const address = useAddress(bytes);
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <Alert color="gray">This is no image that the browser can show. Download the file to look at it.</Alert>;
  // Only as the address of an image: inside <img> no script of it runs and nothing is loaded.
  return <Image src={address} alt={name} fit="contain" mah="70vh" w="auto" maw="100%" mih={40} onError={() => setBroken(true)} />;
}

function Pdf({ bytes, name }: { bytes: Blob; name: string }) {
  const address = useAddress(bytes);
  return address && <iframe src={address} title={name} style={{ width: '100%', height: '70vh', border: 0 }} />;
}

function Words({ bytes, as, name }: { bytes: Blob; as: PreviewKind; name: string }) {
  const id = useId();
  const { data } = useQuery({ queryKey: ['preview-text', id, bytes.size], queryFn: () => (as === 'json' ? jsonOf(bytes) : startOf(bytes)), gcTime: 0 });
  if (!data) return <Skeleton h={200} />;
  return (
    <>
      {as === 'source' && (
        <Text size="xs" c="dimmed">
          The source of the page. Pages of agents are not opened here.
        </Text>
      )}
      {as === 'markdown' ? <Markdown text={data.text} /> : <Code text={data.text} maxHeight={560} label={name} />}
      <Cut of={data} />
    </>
  );
}

function Cut({ of: { isCut, text } }: { of: ShownText }) {
  if (!isCut) return null;
  return (
    <Text size="sm" c="dimmed">
      The first {number(text.length)} characters. Download the file for all of it.
    </Text>
  );
}
