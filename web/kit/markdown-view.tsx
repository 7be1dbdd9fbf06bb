// Shows a Markdown tree as React elements.
import { Button, Group, Text } from '@mantine/core';
import { Lexer } from 'marked';
import { createElement, Fragment, memo, useMemo, useState, type ReactNode } from 'react';
import { Code } from './code.tsx';
import { Copy } from './copy.tsx';
import { piecesOf } from './markdown-pieces.ts';
import { markdownTree, type Node } from './markdown-tree.ts';
import styles from './markdown.module.css';
import { number } from './number.ts';

/** Pieces shown at first, and with each further step. */
const AT_FIRST = 2;
const STEP = 10;

export function MarkdownView({ text }: { text: string }) {
  const [most, setMost] = useState(AT_FIRST);
  const { pieces, left } = useMemo(() => piecesOf(text, most), [text, most]);
  return (
    <div className={styles.markdown}>
      {pieces.map((piece, at) => (
        <Piece key={at} text={piece} />
      ))}
      {left > 0 && (
        <Group gap="xs">
          <Button variant="default" size="xs" onClick={() => setMost(most + STEP)}>
            {left > 200_000 ? 'Show more' : 'Show all'}
          </Button>
          <Text size="xs" c="dimmed">
            {number(left)} more characters
          </Text>
          <Copy value={text} label="Copy the whole text" />
        </Group>
      )}
    </div>
  );
}

const Piece = memo(function Piece({ text }: { text: string }) {
  const tree = useMemo(() => markdownTree(text, () => new Lexer({ gfm: true })), [text]);
  return <Nodes of={tree} />;
});

function Nodes({ of }: { of: readonly Node[] }) {
  return of.map((node, at) => <Fragment key={at}>{element(node)}</Fragment>);
}

function element(node: Node): ReactNode {
  switch (node.is) {
    case 'text':
      return node.text;
    case 'heading':
      // The page has its one h1, and sections have h2.
      return createElement(`h${Math.min(6, node.level + 2)}`, { dir: 'auto' }, <Nodes of={node.of} />);
    case 'paragraph':
      return (
        <p dir="auto">
          <Nodes of={node.of} />
        </p>
      );
    case 'quote':
      return (
        <blockquote dir="auto">
          <Nodes of={node.of} />
        </blockquote>
      );
    case 'strong':
    case 'em':
    case 'del':
      return createElement(node.is, null, <Nodes of={node.of} />);
    case 'code':
      return <code>{node.text}</code>;
    case 'block':
      return <Code text={node.text} />;
    case 'link':
      return <Link node={node} />;
    case 'list':
      return <List node={node} />;
    case 'table':
      return <Table node={node} />;
    case 'break':
      return <br />;
    case 'line':
      return <hr />;
  }
}

function Link({ node: { address, place, of } }: { node: Extract<Node, { is: 'link' }> }) {
  return (
    <a href={address} title={address} rel="noopener noreferrer nofollow" target="_blank">
      <bdi>
        <Nodes of={of} />
      </bdi>
      {place !== undefined && <bdi className={styles.place}> ({place})</bdi>}
    </a>
  );
}

function List({ node: { first, items } }: { node: Extract<Node, { is: 'list' }> }) {
  const of = items.map(({ done, of: inside }, at) => (
    <li key={at} dir="auto" {...(done !== null && { className: styles.task })}>
      {done !== null && <input type="checkbox" checked={done} disabled aria-label={done ? 'Done' : 'Not done'} />}
      <Nodes of={inside} />
    </li>
  ));
  return first === null ? <ul>{of}</ul> : <ol start={first}>{of}</ol>;
}

function Table({ node: { align, rows } }: { node: Extract<Node, { is: 'table' }> }) {
  const [head = [], ...body] = rows;
  const cell = (tag: 'th' | 'td', of: readonly Node[], at: number): ReactNode =>
    createElement(tag, { key: at, dir: 'auto', ...(align[at] && { style: { textAlign: align[at] } }) }, <Nodes of={of} />);
  return (
    <div className={styles.scroll} tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>{head.map((of, at) => cell('th', of, at))}</tr>
        </thead>
        <tbody>
          {body.map((row, index) => (
            <tr key={index}>{row.map((of, at) => cell('td', of, at))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
