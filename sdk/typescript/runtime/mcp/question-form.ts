// The page of a question (extension MCP Apps): one document without loads from elsewhere, whose host shows it
// in a frame of its own. It draws the form that the question asks for and sends the answer through its host.
// What an agent wrote is only ever text on it.
import { createHash } from 'node:crypto';

export const QUESTION_FORM = 'ui://svc/question';
export const FORM_TYPE = 'text/html;profile=mcp-app';

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; }
body { margin: 0; padding: 16px; }
[role=form] { display: grid; gap: 12px; max-width: 40rem; }
p { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.field { display: grid; gap: 4px; }
.line { display: flex; gap: 8px; align-items: baseline; }
fieldset { border: 0; margin: 0; padding: 0; }
input:not([type=checkbox]), select, textarea { font: inherit; padding: 6px 8px; border: 1px solid GrayText; border-radius: 6px; background: Field; color: FieldText; }
button { font: inherit; justify-self: start; padding: 6px 16px; border: 0; border-radius: 6px; background: #1a56db; color: #fff; }
button:disabled { opacity: 0.6; }
:focus-visible { outline: 2px solid #1a56db; outline-offset: 2px; }
small { color: GrayText; }
[role=alert]:not(:empty) { border-left: 3px solid #c81e1e; padding-left: 8px; }
`;

/** Plain JavaScript for a browser. No element is made from text, and messages count only from the host. */
const SCRIPT = `
'use strict';
const main = document.querySelector('main');
let next = 1;
const waiting = new Map();
const post = (message) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const ask = (method, params) => new Promise((resolve, reject) => {
  const id = next++;
  waiting.set(id, { resolve, reject });
  post({ id, method, params });
});
const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
const show = (...children) => main.replaceChildren(...children);
const textOf = (result) => (result.content || []).flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\\n');

window.addEventListener('message', ({ source, data }) => {
  if (source !== window.parent || !data || data.jsonrpc !== '2.0') return;
  if (data.method === undefined) {
    const pending = waiting.get(data.id);
    waiting.delete(data.id);
    if (pending) data.error ? pending.reject(new Error(String(data.error.message))) : pending.resolve(data.result);
  } else if (data.id !== undefined) post({ id: data.id, result: {} });
  else if (data.method === 'ui/notifications/tool-result') showResult(data.params);
  else if (data.method === 'ui/notifications/tool-cancelled') show(make('p', { textContent: 'This was cancelled.' }));
  else if (data.method === 'ui/notifications/host-context-changed') themed(data.params);
});

function themed(context) {
  if (context && (context.theme === 'light' || context.theme === 'dark')) document.documentElement.style.colorScheme = context.theme;
}

function showResult(result) {
  const question = result._meta && result._meta['svc/question'];
  if (question) draw(question, '');
  else show(make('p', { textContent: textOf(result) || 'Done.' }));
}

const choicesOf = (schema) => schema.oneOf || schema.anyOf
  ? (schema.oneOf || schema.anyOf).map((one) => [one.const, one.title === undefined ? one.const : one.title])
  : schema.enum && schema.enum.map((value, at) => [value, schema.enumNames ? schema.enumNames[at] : value]);

function plain(schema) {
  if (schema.type === 'array') return schema.items !== undefined && choicesOf(schema.items) !== undefined;
  return ['string', 'number', 'integer', 'boolean'].includes(schema.type);
}

const INPUTS = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' };

/** What is shown, and what it says: undefined for nothing. */
function field(name, schema, required) {
  const id = 'f-' + name;
  const title = String(schema.title === undefined ? name : schema.title);
  const about = schema.description === undefined ? [] : [make('small', { textContent: String(schema.description) })];
  const choices = schema.type === 'array' ? choicesOf(schema.items) : choicesOf(schema);
  if (schema.type === 'boolean') {
    const input = make('input', { type: 'checkbox', id, checked: schema.default === true });
    return { view: make('div', { className: 'field' }, make('div', { className: 'line' }, input, make('label', { htmlFor: id, textContent: title })), ...about), value: () => input.checked };
  }
  if (schema.type === 'array') {
    const chosen = Array.isArray(schema.default) ? schema.default : [];
    const boxes = choices.map(([value, label], at) => [value, make('input', { type: 'checkbox', id: id + '-' + at, checked: chosen.includes(value) }), String(label)]);
    const lines = boxes.map(([, input, label]) => make('div', { className: 'line' }, input, make('label', { htmlFor: input.id, textContent: label })));
    return { view: make('fieldset', { className: 'field' }, make('legend', { textContent: title }), ...lines, ...about), value: () => boxes.flatMap(([value, input]) => (input.checked ? [value] : [])) };
  }
  let input;
  if (choices) {
    const options = choices.map(([value, label], at) => make('option', { value: String(at), textContent: String(label), selected: value === schema.default }));
    input = make('select', { id, required }, ...(required ? [] : [make('option', { value: '', textContent: '' })]), ...options);
    return { view: make('div', { className: 'field' }, make('label', { htmlFor: id, textContent: title }), input, ...about), value: () => (input.value === '' ? undefined : choices[Number(input.value)][0]) };
  }
  const numeric = schema.type !== 'string';
  input = make('input', { id, required, type: numeric ? 'number' : INPUTS[schema.format] || 'text', value: schema.default === undefined ? '' : String(schema.default) });
  if (numeric) {
    input.step = schema.type === 'integer' ? '1' : 'any';
    if (schema.minimum !== undefined) input.min = String(schema.minimum);
    if (schema.maximum !== undefined) input.max = String(schema.maximum);
  } else {
    if (schema.minLength !== undefined) input.minLength = schema.minLength;
    if (schema.maxLength !== undefined) input.maxLength = schema.maxLength;
  }
  const read = () => (numeric ? Number(input.value) : schema.format === 'date-time' ? new Date(input.value).toISOString() : input.value);
  return { view: make('div', { className: 'field' }, make('label', { htmlFor: id, textContent: title }), input, ...about), value: () => (input.value === '' ? undefined : read()) };
}

/** A form of plain fields, or one text: JSON where a schema asks for more. */
function fieldsOf({ schema }) {
  const entries = schema && schema.properties ? Object.entries(schema.properties) : [];
  if (entries.length > 0 && entries.every(([, one]) => plain(one))) {
    const fields = entries.map(([name, one]) => [name, field(name, one, (schema.required || []).includes(name) && one.type !== 'boolean')]);
    const values = () => Object.fromEntries(fields.flatMap(([name, { value }]) => (value() === undefined ? [] : [[name, value()]])));
    return { views: fields.map(([, { view }]) => view), answer: () => JSON.stringify(values()) };
  }
  const input = make('textarea', { id: 'answer', rows: 4, required: true });
  const hint = schema ? [make('small', { textContent: 'JSON that fits ' + JSON.stringify(schema) })] : [];
  return { views: [make('div', { className: 'field' }, make('label', { htmlFor: 'answer', textContent: 'Answer' }), input, ...hint)], answer: () => input.value };
}

function draw(question, mistakes) {
  const { views, answer } = fieldsOf(question);
  const alert = make('p', { role: 'alert', textContent: mistakes });
  const send = make('button', { type: 'button', textContent: 'Send' });
  // Frames that may not submit forms may still run this one's checks.
  const form = make('form', { noValidate: false }, make('p', { id: 'prompt', textContent: String(question.prompt) }), ...views, alert, send);
  form.setAttribute('role', 'form');
  form.setAttribute('aria-labelledby', 'prompt');
  const submit = async () => {
    if (send.disabled || !form.reportValidity()) return;
    send.disabled = true;
    alert.textContent = '';
    try {
      const result = await ask('tools/call', { name: 'answer_question', arguments: { question_id: question.question_id, answer: answer() } });
      const again = result._meta && result._meta['svc/question'];
      if (again && again.question_id === question.question_id) {
        alert.textContent = textOf(result);
        return;
      }
      showResult(result);
      // The model reads the tool's own words as such, not as its user's.
      if (host.updateModelContext) await ask('ui/update-model-context', { content: result.content });
    } catch (error) {
      alert.textContent = 'It was not sent: ' + error.message;
    } finally {
      send.disabled = false;
    }
  };
  send.addEventListener('click', submit);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.target.tagName !== 'INPUT') return;
    event.preventDefault();
    submit();
  });
  show(form);
}

let host = {};
new ResizeObserver(() => post({ method: 'ui/notifications/size-changed', params: { width: document.documentElement.scrollWidth, height: document.documentElement.offsetHeight } })).observe(document.documentElement);
ask('ui/initialize', { protocolVersion: '2026-01-26', appInfo: { name: 'svc-question', version: '1.0.0' }, appCapabilities: { availableDisplayModes: ['inline'] } }).then(
  ({ hostCapabilities, hostContext }) => {
    host = hostCapabilities || {};
    themed(hostContext);
    post({ method: 'ui/notifications/initialized', params: {} });
  },
  (error) => show(make('p', { textContent: error.message })),
);
`;

/** The same for every question: what is asked comes as the result of the tool. */
export const QUESTION_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '${hashOf(SCRIPT)}'; style-src '${hashOf(STYLE)}'; base-uri 'none'; form-action 'none'">
<title>Question</title>
<style>${STYLE}</style>
</head>
<body>
<main aria-live="polite"></main>
<script>${SCRIPT}</script>
</body>
</html>
`;

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
