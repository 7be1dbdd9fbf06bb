// Every message of a source file: what a reader of the page sees of its strings.
import { parseSync, visitorKeys, type Node, type ObjectExpression, type ObjectProperty } from 'oxc-parser';
import { isCodeCall, isCodeElement, isCommand, looksLikeWords, type Reading, readingOf, VALUE } from './look.ts';
import { markersOf } from './markers.ts';
import { elementName, Names } from './names.ts';
import { childrenParts, elementNameIn, partsOf, unescaped } from './parts.ts';
import { hasWords, print, trimmed, type Piece } from './pieces.ts';

export interface Message {
  english: string;
  pieces: Piece[];
  /** White space around it, which no translation has. */
  before: string;
  after: string;
  /** What it stands in: what is written in its place depends on that. */
  as: 'expression' | 'children' | 'attribute' | 'key';
  start: number;
  end: number;
}

export const messagesOf = (file: string, text: string): Message[] => textsOf(file, text).messages;

/**
 * Texts that values are compared with, and names of members: in another language none of them is what is
 * shown.
 */
export const namesOf = (file: string, text: string): string[] => textsOf(file, text).names;

function textsOf(file: string, text: string): { messages: Message[]; names: string[] } {
  const { program, comments, errors } = parseSync(file, text, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  const [error] = errors;
  if (error) throw new Error(`${file}: ${error.message}`);
  const finder = new Finder(text, markersOf(text, comments));
  finder.visit(program, 'look');
  return { messages: finder.messages.toSorted((a, b) => a.start - b.start || b.end - a.end), names: finder.names };
}

/** Types, and names of modules. */
const SKIPPED = /^(?:TS(?!AsExpression|SatisfiesExpression|NonNullExpression)|Import|ExportAll|JSXClosing|TaggedTemplate|MetaProperty)/;

const RETURNS = /^(?:Return|If|Switch|Try|Block|For|While)/;
/** A component returns what is shown, `factsOf` facts. */
const readingOfFunction = (name: string, reading: Reading): Reading => (/^(?:facts|totals)Of$/.test(name) ? 'facts' : /^[A-Z]/.test(name) ? 'shown' : reading);

class Finder {
  readonly messages: Message[] = [];
  readonly names: string[] = [];
  readonly #text: string;
  readonly #markers: ReadonlyMap<number, 'shown' | 'code'>;

  constructor(text: string, markers: ReadonlyMap<number, 'shown' | 'code'>) {
    this.#text = text;
    this.#markers = markers;
  }

  visit(node: Node, inherited: Reading): void {
    if (SKIPPED.test(node.type)) return;
    const reading = this.#markers.get(node.start) ?? inherited;
    switch (node.type) {
      case 'Literal':
      case 'TemplateLiteral':
      case 'ConditionalExpression':
      case 'CallExpression':
      case 'BinaryExpression':
        if (this.#expression(node, reading)) return;
        break;
      case 'JSXElement':
      case 'JSXFragment':
        return this.#element(node);
      case 'ObjectExpression':
        return this.#object(node, reading);
      default:
        break;
    }
    this.#inside(node, reading);
  }

  #inside(node: Node, reading: Reading): void {
    switch (node.type) {
      case 'ConditionalExpression':
        this.#each([node.test], 'code');
        return this.#each([node.consequent, node.alternate], reading);
      case 'LogicalExpression':
        this.#each([node.left], node.operator === '&&' ? 'code' : reading);
        return this.#each([node.right], reading);
      case 'BinaryExpression':
        if (/^[!=]==?$/.test(node.operator)) this.names.push(...[node.left, node.right].flatMap(textOf));
        return this.#each([node.left, node.right], node.operator === '+' ? reading : 'code');
      case 'SwitchCase':
        this.names.push(...textOf(node.test));
        return this.#each(node.consequent, reading);
      case 'MemberExpression':
        return this.#each([node.object], node.object.type === 'ObjectExpression' ? reading : 'look');
      case 'CallExpression':
      case 'NewExpression':
        return this.#call(node, reading);
      case 'AssignmentPattern':
        return this.#each([node.right], node.left.type === 'Identifier' ? inheriting(node.left.name, reading) : reading);
      case 'Property':
        return this.#each([node.value], reading);
      case 'BlockStatement':
        return this.#block(node.body, reading);
      case 'FunctionDeclaration':
        return this.#each(childrenOf(node), node.id ? readingOfFunction(node.id.name, reading) : reading);
      case 'VariableDeclaration':
        // "words: shown" before it is about what it holds.
        return this.#each(node.declarations, reading);
      default:
        return this.#each(childrenOf(node), reading);
    }
  }

  /** What a function returns is read as the function; what it does on the way is not. */
  #block(statements: readonly Node[], reading: Reading): void {
    for (const one of statements) this.visit(one, reading !== 'code' && !RETURNS.test(one.type) ? 'look' : reading);
  }

  #each(nodes: readonly Node[], reading: Reading): void {
    for (const node of nodes) this.visit(node, reading);
  }

  #call({ callee, arguments: all, type }: Node & { type: 'CallExpression' | 'NewExpression' }, reading: Reading): void {
    this.#each([callee], 'look');
    const name =
      callee.type === 'Identifier' ? callee.name : callee.type === 'MemberExpression' && callee.property.type === 'Identifier' ? callee.property.name : '';
    // A fault of ours is written small: no reader is told it.
    if (type === 'NewExpression' && name.endsWith('Error'))
      return this.#each(
        all.filter((one) => /^[`']\p{Lu}/u.test(this.#text.slice(one.start, one.start + 2))),
        'look',
      );
    this.#each(all, reading === 'code' || isCodeCall(name) ? 'code' : 'look');
  }

  #object({ properties }: ObjectExpression, reading: Reading): void {
    for (const property of properties) {
      if (property.type !== 'Property') {
        this.visit(property.argument, reading);
        continue;
      }
      const marker = this.#markers.get(property.start);
      const name = keyOf(property);
      if (marker !== 'code' && reading !== 'code') this.#key(property, reading);
      if (property.computed) this.visit(property.key, reading === 'facts' ? 'shown' : 'code');
      if (property.value.type !== 'Identifier' || !property.shorthand) this.visit(property.value, marker ?? readingOfMember(name, property.value, reading));
    }
  }

  /** Names that are shown: of facts, and of tables of words. */
  #key({ key, computed, shorthand, start }: ObjectProperty, reading: Reading): void {
    if (computed || shorthand) return;
    const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' && typeof key.value === 'string' ? key.value : undefined;
    if (name === undefined) return;
    const isShown = reading === 'facts' || this.#markers.get(start) === 'shown' || (key.type === 'Literal' && looksLikeWords(name));
    if (isShown) this.#add([name], 'key', key);
    else this.names.push(name);
  }

  /** @returns whether all of it is a message */
  #expression(node: Node, reading: Reading): boolean {
    if (reading === 'code') return node.type === 'Literal';
    const names = new Names(this.#text);
    const parts = partsOf(node, names);
    if (!parts) return false;
    if (isSeveral(parts)) return false;
    const isMessage = hasWords(parts) && !isCommand(bare(parts)) && (reading !== 'look' || looksLikeWords(bare(parts)));
    if (isMessage) this.#add(parts, 'expression', node);
    if (isMessage) this.#values(node);
    return isMessage;
  }

  #element(node: Node & { type: 'JSXElement' | 'JSXFragment' }): void {
    const name = node.type === 'JSXElement' ? node.openingElement.name : undefined;
    if (node.type === 'JSXElement') for (const attribute of node.openingElement.attributes) this.#attribute(attribute, name && elementName(name));
    const isCode = name !== undefined && isCodeElement(elementNameIn(name));
    const { children } = node;
    const names = new Names(this.#text);
    const parts = isCode ? [] : childrenParts(children, names);
    const [first, last] = [children[0], children.at(-1)];
    if (first && last && isSentence(parts) && !isSeveral(parts)) {
      this.#add(parts, 'children', { start: first.start, end: last.end });
      for (const child of children) this.#valuesOfChild(child);
    } else for (const child of children) this.#child(child, isCode ? 'code' : 'shown');
  }

  #child(child: Node, reading: Reading): void {
    if (child.type === 'JSXExpressionContainer' || child.type === 'JSXSpreadChild') this.visit(child.expression, reading);
    else if (child.type !== 'JSXText') this.visit(child, reading);
  }

  /** What a message has inside is its own, but for values, and attributes of elements. */
  #valuesOfChild(child: Node): void {
    if (child.type === 'JSXElement') {
      const { openingElement, closingElement, children } = child;
      if (!closingElement || isCodeElement(elementNameIn(openingElement.name))) return this.visit(child, 'shown');
      for (const attribute of openingElement.attributes) this.#attribute(attribute, elementName(openingElement.name));
      for (const inner of children) this.#valuesOfChild(inner);
    } else if (child.type === 'JSXExpressionContainer') this.#valueIn(child.expression);
    else if (child.type !== 'JSXText') this.visit(child, 'shown');
  }

  #valueIn(node: Node): void {
    const names = new Names(this.#text);
    if (node.type === 'LogicalExpression' && node.operator === '&&' && partsOf(node.right, names)) return this.#valueIn(node.right);
    if (partsOf(node, names)) this.#values(node);
    else this.visit(node, 'shown');
  }

  /** The expressions in a template, and in the texts of a choice. */
  #values(node: Node): void {
    if (node.type === 'TemplateLiteral') for (const one of node.expressions) this.#valueIn(one);
    else if (node.type === 'ConditionalExpression') for (const one of [node.consequent, node.alternate]) this.#valueIn(one);
    else if (node.type === 'BinaryExpression') for (const one of [node.left, node.right]) this.#valueIn(one);
    else if (node.type === 'CallExpression') this.#each(node.arguments.slice(0, 1), 'shown');
    else if (node.type === 'ParenthesizedExpression') this.#values(node.expression);
  }

  #attribute(node: Node, element: string | undefined): void {
    if (node.type !== 'JSXAttribute') return this.#each(childrenOf(node), 'look');
    const name = node.name.type === 'JSXIdentifier' ? node.name.name : node.name.name.name;
    const { value } = node;
    const reading = this.#markers.get(node.start) ?? readingOf(name);
    if (!value) return;
    if (value.type === 'Literal') {
      const text = unescaped(String(value.value));
      if (reading === 'shown' ? hasWords([text]) : reading === 'look' && looksLikeWords(text)) this.#add([text], 'attribute', value);
    } else if (value.type === 'JSXExpressionContainer') {
      const { expression } = value;
      this.visit(expression, isFacts(element, name) ? 'facts' : reading);
    } else this.visit(value, 'look');
  }

  #add(all: readonly Piece[], as: Message['as'], { start, end }: { start: number; end: number }): void {
    const { before, pieces, after } = trimmed(all);
    this.messages.push({ english: print(pieces), pieces, before, after, as, start, end });
  }
}

const isFacts = (element: string | undefined, attribute: string): boolean => (element === 'facts' ? attribute === 'of' : attribute === 'more');

const textOf = (node: Node | null): string[] => (node?.type === 'Literal' && typeof node.value === 'string' ? [node.value] : []);

/** Words beside values, or a choice of words: not only elements that have words of their own. */
const isSentence = (parts: readonly Piece[]): boolean => hasWords(parts.filter((part) => typeof part === 'string' || part.is === 'choice'));

/** A choice between texts by a condition is several messages; by a number it is one. */
const isSeveral = (parts: readonly Piece[]): boolean => {
  const [only, ...more] = parts.filter((part) => typeof part !== 'string' || part.trim() !== '');
  return more.length === 0 && typeof only === 'object' && only.is === 'choice' && only.by === 'select';
};

const bare = (parts: readonly Piece[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : part.is === 'choice' ? bare(part.first) : VALUE)).join('');

const keyOf = ({ key, computed }: ObjectProperty): string | undefined =>
  computed ? undefined : key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : undefined;

/** Code stays code; a name says otherwise what its value is. */
const inheriting = (name: string, reading: Reading): Reading => {
  const own = readingOf(name);
  return reading === 'code' || own === 'look' ? reading : own;
};

/**
 * A table may be about fields that are called like attributes: `pattern: { hint: 'A regular expression.'
 * }`.
 */
function readingOfMember(name: string | undefined, value: Node, reading: Reading): Reading {
  const outer = reading === 'facts' ? 'shown' : reading;
  if (name === undefined) return outer;
  const own = inheriting(name, outer);
  return own === 'code' && outer !== 'code' && value.type === 'ObjectExpression' && !/style/i.test(name) ? 'look' : own;
}

function childrenOf(node: Node): Node[] {
  return (visitorKeys[node.type] ?? []).flatMap((key) => {
    const child: unknown = Reflect.get(node, key);
    return (Array.isArray(child) ? child : [child]).filter(isNode);
  });
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
