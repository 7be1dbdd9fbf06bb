// The kinds of faults that are put into production code: each is one that was made here or elsewhere, by hand
// and by mistake.
import { parseSync } from 'oxc-parser';

/** One fault: what stands at a place is replaced. */
export interface Mutant {
  kind: string;
  file: string;
  line: number;
  before: string;
  after: string;
  /** Of the text, in characters. */
  start: number;
  end: number;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [name: string]: unknown;
}

type Change = { kind: string; node: { start: number; end: number }; after: string };

/** What a call that records something is named. */
const RECORDS = /^(?:audit|emit|note|record|publish|notify|wake|append|tell|broadcast|add\w*Event|write\w*Receipt|send\w*Message)/i;
const OPPOSITE: Readonly<Record<string, string>> = { '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>', '&&': '||', '||': '&&' };
const STATUSES: Readonly<Record<string, string>> = {
  200: '201',
  201: '200',
  202: '200',
  204: '200',
  401: '403',
  403: '404',
  404: '403',
  409: '422',
  410: '404',
  422: '400',
  429: '503',
};

/** Every fault that could be put into a file. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const { program } = parseSync(file, text, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  const changes: Change[] = [];
  // Safe: an ESTree node has a type and a place.
  walk(program as unknown as Node, (node) => changes.push(...changesOf(node, text)));
  return changes.map(({ kind, node, after }) => ({
    kind,
    file,
    line: text.slice(0, node.start).split('\n').length,
    before: text.slice(node.start, node.end),
    after,
    start: node.start,
    end: node.end,
  }));
}

function changesOf(node: Node, text: string): Change[] {
  const source = (of: unknown): string => (isNode(of) ? text.slice(of.start, of.end) : '');
  switch (node.type) {
    case 'IfStatement': {
      // Whether more is allowed than should be.
      if (node['alternate'] === null && /^\{?\s*throw\b/.test(source(node['consequent']))) return [{ kind: 'a refusal is gone', node, after: ';' }];
      return isNode(node['test']) ? [{ kind: 'a condition is turned round', node: node['test'], after: `!(${source(node['test'])})` }] : [];
    }
    case 'LogicalExpression':
    case 'BinaryExpression': {
      const opposite = OPPOSITE[String(node['operator'])];
      const { left, right } = node;
      if (opposite === undefined || !isNode(left) || !isNode(right)) return [];
      return [
        {
          kind: 'a comparison is wrong',
          node: { start: left.end, end: right.start },
          after: text.slice(left.end, right.start).replace(String(node['operator']), opposite),
        },
      ];
    }
    case 'ExpressionStatement': {
      const called = /^(?:await |void )?(?:[\w.]+\.)?(\w+)\(/.exec(source(node))?.[1] ?? '';
      if (RECORDS.test(called)) return [{ kind: 'an event is lost', node, after: ';' }];
      return source(node).startsWith('await ') ? [{ kind: 'a step is left out', node, after: ';' }] : [];
    }
    case 'CallExpression': {
      const name = isNode(node['callee']) ? source(node['callee']).split('.').at(-1) : '';
      const [first] = Array.isArray(node['arguments']) ? (node['arguments'] as unknown[]) : [];
      if ((name !== 'where' && name !== 'andWhere') || !isNode(first) || first.type !== 'ObjectExpression') return [];
      const properties = (first['properties'] as unknown[]).filter(isNode);
      if (properties.length < 2) return [];
      return properties.map((property) => ({
        kind: 'a query reaches too much',
        node: first,
        after: `{ ${properties
          .filter((one) => one !== property)
          .map(source)
          .join(', ')} }`,
      }));
    }
    case 'Property': {
      const value = node['value'];
      const status = isNode(value) && /^(?:status|statusCode)$/.test(source(node['key'])) ? STATUSES[source(value)] : undefined;
      return status === undefined || !isNode(value) ? [] : [{ kind: 'a wrong status', node: value, after: status }];
    }
    default:
      return [];
  }
}

function walk(node: Node, visit: (node: Node) => void): void {
  // What a type says, no program does.
  if (node.type.startsWith('TS') && !['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'].includes(node.type)) return;
  visit(node);
  for (const value of Object.values(node)) for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit);
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
