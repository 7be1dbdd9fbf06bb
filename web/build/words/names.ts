// What the values of a message are called in it: as the source calls them.
import type { Expression, JSXElementName, Node } from 'oxc-parser';
import type { Range } from './pieces.ts';

/** They write a number; a choice by the same number has the same name. */
const WRITES_NUMBERS = new Set(['number', 'String', 'counted']);
const MAX_LENGTH = 30;

/** The names of one message: one for each expression. */
export class Names {
  readonly #text: string;
  readonly #sources = new Map<string, string>();

  constructor(text: string) {
    this.#text = text;
  }

  of(node: Node): string {
    const bare = withoutNumber(node);
    return this.#unique(nameOf(bare), this.#text.slice(bare.start, bare.end));
  }

  /** A condition has another name than the value that it is about. */
  ofCondition(node: Node): string {
    return this.#unique(`if_${nameOf(node)}`, this.#text.slice(node.start, node.end));
  }

  ofElement(name: JSXElementName, at: Range): string {
    return this.#unique(elementName(name), `${at.start}`);
  }

  #unique(wanted: string, source: string): string {
    const name = wanted.slice(0, MAX_LENGTH) || 'value';
    for (let count = 1; ; count++) {
      const one = count === 1 ? name : `${name}${count}`;
      const known = this.#sources.get(one);
      if (known !== undefined && known !== source) continue;
      this.#sources.set(one, source);
      return one;
    }
  }
}

/** Of `Table.Th` the last part; as a name of ours: "anchor". */
export function elementName(name: JSXElementName): string {
  if (name.type === 'JSXIdentifier') return lower(name.name);
  return lower(name.type === 'JSXMemberExpression' ? name.property.name : name.name.name);
}

const lower = (name: string): string => `${name.charAt(0).toLowerCase()}${name.slice(1)}`;

function withoutNumber(node: Node): Node {
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || !WRITES_NUMBERS.has(node.callee.name)) return node;
  const [first] = node.arguments;
  return first && node.arguments.length === 1 && first.type !== 'SpreadElement' ? first : node;
}

function nameOf(node: Node): string {
  switch (node.type) {
    case 'Identifier':
      return node.name;
    case 'MemberExpression':
      return memberName(node.object, node.property, node.computed);
    case 'CallExpression':
      return callName(node.callee, node.arguments);
    case 'ChainExpression':
    case 'TSAsExpression':
    case 'TSNonNullExpression':
    case 'ParenthesizedExpression':
      return nameOf(node.expression);
    case 'UnaryExpression':
    case 'AwaitExpression':
    case 'SpreadElement':
      return nameOf(node.argument);
    case 'LogicalExpression':
    case 'BinaryExpression':
      return node.left.type === 'PrivateIdentifier' ? '' : nameOf(node.left) || nameOf(node.right);
    case 'ConditionalExpression':
      return nameOf(node.test);
    case 'JSXElement':
      return elementName(node.openingElement.name);
    default:
      return '';
  }
}

function memberName(object: Node, property: Node, isComputed: boolean): string {
  if (isComputed) return nameOf(object);
  const name = property.type === 'Identifier' ? property.name : '';
  // The count of something is called as the thing.
  return name === 'length' || name === 'size' ? nameOf(object) : name;
}

function callName(callee: Expression, [first]: readonly Node[]): string {
  const inner = first && first.type !== 'ArrowFunctionExpression' ? nameOf(first) : '';
  if (callee.type !== 'MemberExpression') return inner || nameOf(callee);
  const object = nameOf(callee.object);
  // "names.join(', ')" is the names; "Math.round(size)" the size.
  return (/^[A-Z][a-z]/.test(object) ? inner : object || inner) || nameOf(callee.property);
}
