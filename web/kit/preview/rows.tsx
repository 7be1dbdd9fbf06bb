// A table of comma-separated values: its first lines, of which those in sight are drawn.
import { Alert, ScrollArea, Skeleton, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useId, useRef } from 'react';
import styles from './rows.module.css';
import { number } from '../number.ts';

const MOST_ROWS = 1_000;
const MOST_COLUMNS = 100;
const READ_BYTES = 4 * 1024 * 1024;
const ROW_HEIGHT = 33;

export function Rows({ bytes, name }: { bytes: Blob; name: string }) {
  const id = useId();
  const { data } = useQuery({ queryKey: ['preview-rows', id, bytes.size], queryFn: () => parsed(bytes), gcTime: 0 });
  if (!data) return <Skeleton h={200} />;
  const [head, ...rows] = data.rows;
  if (!head) return <Alert color="gray">The table is empty.</Alert>;
  return (
    <>
      <Lines head={head} rows={rows} name={name} />
      {data.isCut && (
        <Text size="sm" c="dimmed">
          The first {number(rows.length)} lines and {head.length} columns. Download the file for all of it.
        </Text>
      )}
    </>
  );
}

function Lines({ head, rows, name }: { head: string[]; rows: string[][]; name: string }) {
  const viewport = useRef<HTMLDivElement>(null);
  const lines = useVirtualizer({ count: rows.length, getScrollElement: () => viewport.current, estimateSize: () => ROW_HEIGHT, overscan: 12 });
  const seen = lines.getVirtualItems();
  const [above, below] = [seen[0]?.start ?? 0, lines.getTotalSize() - (seen.at(-1)?.end ?? 0)];
  return (
    <ScrollArea.Autosize mah={480} type="auto" viewportRef={viewport} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': `Table ${name}` }}>
      <Table className={styles.rows ?? ''} withColumnBorders stickyHeader verticalSpacing={0} fz="sm" aria-rowcount={rows.length + 1}>
        <Table.Thead>
          <Table.Tr>
            {head.map((text, at) => (
              <Table.Th key={at} dir="auto" title={text}>
                {text || <span aria-label="no name">–</span>}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {above > 0 && <tr aria-hidden style={{ height: above }} />}
          {seen.map(({ index }) => (
            <Table.Tr key={index} aria-rowindex={index + 2}>
              {head.map((_, at) => (
                <Table.Td key={at} dir="auto" title={rows[index]?.[at]}>
                  {rows[index]?.[at]?.slice(0, 500)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
          {below > 0 && <tr aria-hidden style={{ height: below }} />}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  );
}

async function parsed(bytes: Blob): Promise<{ rows: string[][]; isCut: boolean }> {
  const { default: Papa } = await import('papaparse');
  const part = bytes.slice(0, READ_BYTES);
  const { data, meta } = Papa.parse<string[]>(await part.text(), { preview: MOST_ROWS + 1, skipEmptyLines: true });
  const isWider = data.some(({ length }) => length > MOST_COLUMNS);
  return { rows: data.map((row) => row.slice(0, MOST_COLUMNS)), isCut: meta.truncated || part.size < bytes.size || isWider };
}
