// The tree of a page as elements.
import { Fragment, type ReactNode } from 'react';
import { CodeBlock } from './code-block.tsx';
import { DocsLink } from './link.tsx';
import { Picture } from './picture.tsx';
import { Scrolled } from './scrolled.tsx';
import type { Block, Inline } from './tree.ts';
import styles from './docs.module.css';

export function Blocks({ blocks }: { blocks: readonly Block[] }): ReactNode {
  // The tree of a page never changes: places in it are good keys.
  return blocks.map((block, at) => <One key={at} block={block} />);
}

function One({ block }: { block: Block }): ReactNode {
  switch (block.kind) {
    case 'heading':
      return <Heading {...block} />;
    case 'paragraph':
      return (
        <p>
          <Words of={block.inside} />
        </p>
      );
    case 'list': {
      const items = block.items.map((item, at) => <li key={at}>{isShort(item) ? <Words of={item[0].inside} /> : <Blocks blocks={item} />}</li>);
      return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case 'table':
      return <Table {...block} />;
    case 'code':
      return <CodeBlock language={block.language} parts={block.parts} />;
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.inside} />
        </blockquote>
      );
    case 'picture':
      return <Picture alt={block.alt} drawing={block.drawing} />;
  }
}

const isShort = (item: Block[]): item is [Extract<Block, { kind: 'paragraph' }>] => item.length === 1 && item[0]?.kind === 'paragraph';

function Heading({ depth, id, inside }: Extract<Block, { kind: 'heading' }>) {
  const Tag = depth <= 2 ? 'h2' : depth === 3 ? 'h3' : 'h4';
  return (
    <Tag id={id}>
      <Words of={inside} />
      <a href={`#${id}`} className={styles.anchor} aria-label="Link to this heading">
        #
      </a>
    </Tag>
  );
}

function Table({ head, rows }: Extract<Block, { kind: 'table' }>) {
  return (
    <Scrolled label="Table" className={styles.table}>
      <table>
        {head.some((cell) => cell.length > 0) && (
          <thead>
            <tr>
              {head.map((cell, at) =>
                cell.length > 0 ? (
                  <th key={at} scope="col">
                    <Words of={cell} />
                  </th>
                ) : (
                  <td key={at} />
                ),
              )}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>
                  <Words of={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

export function Words({ of }: { of: readonly Inline[] }): ReactNode {
  return of.map((part, at) => <Fragment key={at}>{word(part)}</Fragment>);
}

function word(part: Inline): ReactNode {
  if (typeof part === 'string') return part;
  if ('code' in part) return <code>{part.code}</code>;
  if ('strong' in part)
    return (
      <strong>
        <Words of={part.strong} />
      </strong>
    );
  if ('em' in part)
    return (
      <em>
        <Words of={part.em} />
      </em>
    );
  const inside = <Words of={part.inside} />;
  if ('page' in part)
    return (
      <DocsLink page={part.page} {...(part.hash !== undefined && { hash: part.hash })}>
        {inside}
      </DocsLink>
    );
  return (
    <a href={part.href} rel="noopener noreferrer">
      {inside}
    </a>
  );
}
