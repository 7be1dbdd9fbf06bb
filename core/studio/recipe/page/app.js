// A form for the agent's first skill, from the contract that the agent serves beside this page. Everything is
// set as text, never as HTML.
import { eventsIn } from './events.js';

const config = await (await fetch('config.json')).json();
const form = document.querySelector('#form');
const answer = document.querySelector('#answer');
// Only mail calls on_email.
const skill = config.skills.find(({ id }) => id !== 'on_email');

document.querySelector('#description').textContent = config.agent.description;
if (config.sign_in_url) document.querySelector('#session').append(element('a', { textContent: 'Sign in', href: config.sign_in_url }));

if (!skill) {
  form.append('This agent has no skill that a page could call.');
} else {
  const required = new Set(skill.input_schema.required ?? []);
  const fields = Object.entries(skill.input_schema.properties ?? {}).map(([name, schema]) => fieldOf(name, schema, required.has(name)));
  const button = element('button', { textContent: `Run ${skill.id}` });
  form.append(element('p', { textContent: skill.description }), ...fields.map(({ label }) => label), button);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    answer.className = '';
    answer.textContent = '…';
    button.disabled = true;
    try {
      await run(Object.fromEntries(fields.flatMap(({ name, read }) => (read() === undefined ? [] : [[name, read()]]))));
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error));
    }
    button.disabled = false;
  });
}

/** An input for the type that the schema names; lists and objects are written as JSON. */
function fieldOf(name, schema, required) {
  const { type, enum: choices, default: preset, description = '' } = schema;
  const long = type === 'string' && (schema.maxLength ?? 0) > 500;
  let input;
  if (choices)
    input = element(
      'select',
      {},
      (required ? choices : ['', ...choices]).map((one) => element('option', { value: one, textContent: one })),
    );
  else if (type === 'boolean') input = element('input', { type: 'checkbox', checked: preset === true });
  else if (type === 'integer' || type === 'number') input = element('input', { type: 'number', step: type === 'integer' ? '1' : 'any' });
  else if (type === 'string' && !long) input = element('input', {});
  else input = element('textarea', { rows: 6 });
  if (type !== 'boolean') input.required = required;
  if (preset !== undefined && type !== 'boolean') input.value = typeof preset === 'string' ? preset : JSON.stringify(preset);
  const label = element('label', {}, [element('span', { textContent: `${name} ` }), input, element('small', { textContent: description })]);
  const read = () => {
    if (type === 'boolean') return input.checked;
    if (input.value === '') return undefined;
    return type === 'string' || choices ? input.value : JSON.parse(input.value);
  };
  return { name, label, read };
}

async function run(args) {
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  const response = await fetch(skill.url, { method: 'POST', headers, body: JSON.stringify(args) });
  if (!response.ok) return fail((await response.json()).detail?.message ?? response.statusText);
  answer.textContent = '';
  for await (const event of eventsIn(response.body)) {
    show(event);
    if (event.kind === 'result' || event.kind === 'failed') return;
  }
  fail('The connection broke before the agent had answered. Try again.');
}

function show({ kind, payload }) {
  if (kind === 'progress') answer.textContent += `${payload.message}\n`;
  if (kind === 'text_delta') answer.textContent += payload.text;
  if (kind === 'question') answer.textContent += `asks: ${payload.prompt} (answer it at the platform)\n`;
  if (kind === 'result') answer.textContent += JSON.stringify(payload.result, null, 2);
  if (kind === 'failed') fail(payload.detail.message);
}

function fail(message) {
  answer.className = 'failed';
  answer.textContent = message;
}

function element(name, properties, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
