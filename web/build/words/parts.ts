// The pieces of a string expression, and of the children of an element.
import type { CallExpression, ConditionalExpression, Expression, JSXChild, JSXElement, JSXElementName, Node, TemplateLiteral } from 'oxc-parser';
import { isCodeElement } from './look.ts';
import { elementName, type Names } from './names.ts';
import { joined, type Choice, type Piece } from './pieces.ts';

const ENTITIES: Readonly<Record<string, string>> = { '&quot;': '"', '&amp;': '&', '&lt;': '<', '&gt;': '>', '&apos;': "'", '&nbsp;': '\u00a0' };

export const unescaped = (text: string): string => text.replaceAll(/&[a-z]+;/g, (entity) => ENTITIES[entity] ?? entity);

/** Of a string, a template, or a choice between such; undefined: it is none. */
export function partsOf(node: Node, names: Names): Piece[] | undefined {
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : undefined;
    case 'TemplateLiteral':
      return templateParts(node, names);
    case 'ConditionalExpression': {
      const choice = choiceOf(node, names);
      return choice && [choice];
    }
    case 'CallExpression':
      return countParts(node, names);
    case 'BinaryExpression':
      return node.operator === '+' ? sumParts(node.left, node.right, names) : undefined;
    case 'ParenthesizedExpression':
      return partsOf(node.expression, names);
    default:
      return undefined;
  }
}

/** `name + ' more'`; a sum of numbers is a value. */
function sumParts(left: Expression, right: Expression, names: Names): Piece[] | undefined {
  const [first, second] = [partsOf(left, names), partsOf(right, names)];
  return first || second ? joined([...(first ?? valueParts(left, names)), ...(second ?? valueParts(right, names))]) : undefined;
}

/** `count(limit, 'item')`, `plural(limit, 'criterion', 'criteria')`: a number with its noun. */
const COUNTS = new Set(['count', 'plural']);

function countParts({ callee, arguments: [of, one, many] }: CallExpression, names: Names): Piece[] | undefined {
  if (callee.type !== 'Identifier' || !COUNTS.has(callee.name) || !of || of.type === 'SpreadElement') return undefined;
  if (one?.type !== 'Literal' || typeof one.value !== 'string') return undefined;
  const other = many?.type === 'Literal' ? String(many.value) : `${one.value}s`;
  const name = names.of(of);
  return [{ is: 'value', name, at: of, child: undefined }, ' ', { is: 'choice', by: 'plural', name, on: of, first: [one.value], other: [other] }];
}

function templateParts({ quasis, expressions }: TemplateLiteral, names: Names): Piece[] {
  const parts = quasis.flatMap(({ value }, at): Piece[] => {
    const text = value.cooked ?? value.raw;
    const expression = expressions[at];
    return expression ? [text, ...valueParts(expression, names)] : [text];
  });
  return joined(parts);
}

/** What stands in a sentence: a choice between texts, or a value. */
function valueParts(node: Expression, names: Names): Piece[] {
  return partsOf(node, names) ?? [{ is: 'value', name: names.of(node), at: node, child: undefined }];
}

function choiceOf({ test, consequent, alternate }: ConditionalExpression, names: Names): Choice | undefined {
  const [yes, no] = [branchParts(consequent, names), branchParts(alternate, names)];
  if (!yes || !no) return undefined;
  const counted = countedIn(test);
  if (!counted) return { is: 'choice', by: 'select', name: names.ofCondition(test), on: test, first: yes, other: no };
  const [first, other] = counted.isOne ? [yes, no] : [no, yes];
  return { is: 'choice', by: 'plural', name: names.of(counted.of), on: counted.of, first, other };
}

function branchParts(node: Expression, names: Names): Piece[] | undefined {
  const isEmpty = (node.type === 'Literal' && node.value === null) || (node.type === 'Identifier' && node.name === 'undefined');
  return isEmpty ? undefined : partsOf(node, names);
}

/** `count === 1`, `count !== 1` */
function countedIn(test: Expression): { of: Expression; isOne: boolean } | undefined {
  if (test.type !== 'BinaryExpression' || (test.operator !== '===' && test.operator !== '!==')) return undefined;
  const { left, right } = test;
  if (right.type !== 'Literal' || right.value !== 1) return undefined;
  return { of: left, isOne: test.operator === '===' };
}

/** As React reads them: white space with a line break at an end of a line is none. */
function jsxText(raw: string): string {
  const lines = unescaped(raw).split('\n');
  const last = lines.length - 1;
  return lines
    .map((line, at) => (at === 0 ? line : line.trimStart()))
    .map((line, at) => (at === last ? line : line.trimEnd()))
    .filter((line) => line !== '')
    .join(' ');
}

/** Of the children of an element. */
export function childrenParts(children: readonly JSXChild[], names: Names): Piece[] {
  return joined(children.flatMap((child) => childParts(child, names)));
}

function childParts(child: JSXChild, names: Names): Piece[] {
  switch (child.type) {
    case 'JSXText':
      return [jsxText(child.value)];
    case 'JSXElement':
      return [elementPart(child, names)];
    case 'JSXExpressionContainer':
      return child.expression.type === 'JSXEmptyExpression' ? [] : expressionParts(child.expression, child, names);
    default:
      return [{ is: 'value', name: names.of(child), at: child, child }];
  }
}

function expressionParts(node: Expression, child: JSXChild, names: Names): Piece[] {
  const parts = partsOf(node, names) ?? optionalParts(node, names);
  return parts ?? [{ is: 'value', name: names.of(node), at: node, child }];
}

/** `{isMore && ' and more'}` */
function optionalParts(node: Expression, names: Names): Piece[] | undefined {
  if (node.type !== 'LogicalExpression' || node.operator !== '&&') return undefined;
  const first = partsOf(node.right, names);
  // A number to the left would be shown where it is 0.
  return first && [{ is: 'choice', by: 'select', name: names.ofCondition(node.left), on: node.left, first, other: [] }];
}

function elementPart(element: JSXElement, names: Names): Piece {
  const { openingElement, closingElement, children } = element;
  const name = names.ofElement(openingElement.name, element);
  if (!closingElement || isCodeElement(elementNameIn(openingElement.name))) return { is: 'value', name, at: element, child: element };
  return { is: 'tag', name, open: openingElement, close: closingElement, inner: childrenParts(children, names) };
}

/** With its capital letter. */
export function elementNameIn(name: JSXElementName): string {
  return name.type === 'JSXIdentifier' ? name.name : elementName(name);
}
