// An ordinary agent whose skills are the fixture tools the official MCP conformance suite names.
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { resource } from '#sdk/typescript/authoring/resource.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64');
const WAV = Buffer.from('UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=', 'base64');

/** Rules between arguments, published for callers and enforced here. */
const Contact = z
  .object({
    name: z.string().optional(),
    address: z.object({ street: z.string().optional(), city: z.string().optional() }).optional(),
    contactMethod: z.enum(['phone', 'email']).optional(),
    phone: z.string().optional(),
    email: z.string().optional(),
  })
  .refine(({ contactMethod, phone, email }) => (contactMethod === 'phone' ? phone : email) !== undefined, 'send what contactMethod names')
  .meta({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // oxlint-disable-next-line unicorn/no-thenable
    then: { required: ['phone'] },
    else: { required: ['email'] },
  });

const OK = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };

export class ConformanceAgent extends Agent {
  name = 'conformance';
  description = 'What the official MCP conformance suite calls.';
  version = '1.0.0';
  override concurrency = 16;
  override capabilities = { logging: true };

  test_simple_text = skill({ description: 'Answers with text.' }, async () => 'This is a simple text response for testing.');
  test_error_handling = skill({ description: 'Fails.' }, async () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  test_tool_with_progress = skill({ description: 'Reports progress.' }, async (ctx) => {
    for (const progress of [0, 50, 100]) {
      await ctx.emitProgress(`${progress} %`, { progress, total: 100 });
      await setTimeout(20);
    }
    return 'done';
  });
  /** Longer than the suite reads one stream, which then comes again for the rest. */
  test_reconnection = skill({ description: 'Takes its time.' }, async (ctx) => {
    await setTimeout(11_000, undefined, { signal: ctx.signal });
    return 'Reconnection test completed successfully.';
  });
  test_logging_tool = skill({ description: 'Writes to the log.' }, async (ctx) => {
    ctx.log.info('a line');
    return 'logged';
  });
  test_tool_with_logging = skill({ description: 'Writes to the log as it works.' }, async (ctx) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      ctx.log.info(line);
      await setTimeout(50);
    }
    return 'done';
  });
  test_simple_prompt = skill({ description: 'Offered as a prompt, as every skill is.' }, async () => 'prompted');
  test_prompt_with_arguments = skill(
    { description: 'A prompt with arguments.', input: z.object({ arg1: z.string(), arg2: z.string() }) },
    async (_ctx, args) => args,
  );
  test_elicitation = skill({ description: 'Asks who it is.', input: z.object({ message: z.string() }) }, async (ctx, { message }) => {
    const fields = { username: { type: 'string' }, email: { type: 'string' } };
    return `User response: ${await ctx.ask(message, 60, { schema: { type: 'object', properties: fields, required: ['username', 'email'] } })}`;
  });
  test_elicitation_sep1034_defaults = skill({ description: 'Asks by a form with defaults.' }, async (ctx) => {
    const properties = {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    };
    return await ctx.ask('Who are you?', 60, { schema: { type: 'object', properties } });
  });
  test_elicitation_sep1330_enums = skill({ description: 'Asks by a form of choices.' }, async (ctx) => {
    const titled = [
      { const: 'value1', title: 'First' },
      { const: 'value2', title: 'Second' },
      { const: 'value3', title: 'Third' },
    ];
    const properties = {
      untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
      titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
      titledMulti: { type: 'array', items: { anyOf: titled } },
    };
    return await ctx.ask('Which?', 60, { schema: { type: 'object', properties } });
  });
  test_streaming_elicitation = skill({ description: 'Reports progress on a stream, asks nothing.' }, async (ctx) => {
    await ctx.emitProgress('working');
    return 'done';
  });
  test_custom_headers = skill(
    { description: 'Takes arguments.', input: z.object({ region: z.string().optional().meta({ 'x-mcp-header': 'Region' }), query: z.string().optional() }) },
    async (_ctx, args) => args,
  );
  test_input_required_result_elicitation = skill(
    { description: 'Asks for a name.' },
    async (ctx) => `Hello, ${await ctx.ask('What is your name?', 60, { name: 'user_name' })}!`,
  );
  test_input_required_result_request_state = skill({ description: 'Asks to confirm.' }, async (ctx) => {
    await ctx.ask('Please confirm', 60, { name: 'confirm', schema: OK });
    return 'state-ok';
  });
  test_input_required_result_tampered_state = skill(
    { description: 'Asks to confirm.' },
    async (ctx) => await ctx.ask('Please confirm', 60, { name: 'confirm', schema: OK }),
  );
  test_input_required_result_prompt = skill({ description: 'A prompt that asks.', input: z.object({ context: z.string() }) }, async (_ctx, args) => args);
  test_input_required_result_multi_round = skill({ description: 'Asks twice.' }, async (ctx) => {
    const name = await ctx.ask('Step 1: What is your name?');
    const color = await ctx.ask('Step 2: What is your favorite color?');
    return `${name} likes ${color}`;
  });
  test_input_required_result_capabilities = skill({ description: 'Asks whoever can be asked.' }, async (ctx) => await ctx.ask('Are you there?'));

  test_image_content = skill({ description: 'Draws.' }, async (ctx) => {
    await ctx.emitArtifact(await ctx.writeArtifact('dot.png', PNG, 'image/png'));
    return 'drawn';
  });
  test_audio_content = skill({ description: 'Sounds.' }, async (ctx) => {
    await ctx.emitArtifact(await ctx.writeArtifact('click.wav', WAV, 'audio/wav'));
    return 'played';
  });
  test_embedded_resource = skill({ description: 'Writes.' }, async (ctx) => {
    await ctx.emitArtifact(await ctx.writeArtifact('note.txt', 'This is an embedded resource content.', 'text/plain'));
    return 'written';
  });
  test_multiple_content_types = skill({ description: 'Does all of it.' }, async (ctx) => {
    await ctx.emitArtifact(await ctx.writeArtifact('dot.png', PNG, 'image/png'));
    await ctx.emitArtifact(await ctx.writeArtifact('data.json', '{"test":"data","value":123}', 'application/json'));
    return 'Multiple content types test:';
  });
  static_text = resource({ uri: 'test://static-text', description: 'Text.' }, 'This is the content of the static text resource.');
  watched = resource({ uri: 'test://watched-resource' }, 'Watched.');
  static_binary = resource({ uri: 'test://static-binary', mimeType: 'image/png' }, PNG);
  example = resource({ uri: 'test://example-resource' }, 'Embedded resource content for testing.');
  data = resource({ uri: 'test://template/{id}/data', mimeType: 'application/json' }, ({ id = '' }) =>
    JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  );
  test_prompt_with_embedded_resource = skill(
    { description: 'Works on a resource, which its prompt shows.', input: z.object({ resourceUri: z.url() }) },
    async (_ctx, args) => args,
  );
  test_prompt_with_image = skill(
    { description: 'Works on a picture, which its prompt shows.', input: z.object({ picture: z.url().default('test://static-binary') }) },
    async (_ctx, args) => args,
  );
  json_schema_2020_12_tool = skill({ description: 'Takes a phone number or an address to write to.', input: Contact }, async (_ctx, args) => args);
  // Of the extension for tasks.
  greet = skill({ description: 'Greets.', input: z.object({ name: z.string() }) }, async (_ctx, { name }) => `Hello, ${name}!`);
  slow_compute = skill(
    { description: 'Takes its time.', input: z.object({ seconds: z.number(), label: z.string().optional() }) },
    async (ctx, { seconds, label }) => {
      await setTimeout(seconds * 1000, undefined, { signal: ctx.signal });
      return `computed ${label ?? ''}`;
    },
  );
  failing_job = skill({ description: 'Fails after a while.' }, async (ctx) => {
    await setTimeout(1000, undefined, { signal: ctx.signal });
    throw new Error('This job intentionally fails');
  });
  confirm_delete = skill({ description: 'Asks first.', input: z.object({ filename: z.string() }) }, async (ctx, { filename }) => {
    await ctx.ask(`Delete ${filename}?`, 60, { schema: { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] } });
    return `deleted ${filename}`;
  });
  multi_input = skill({ description: 'Asks two things at once.' }, async (ctx) => {
    const schema = { type: 'object', properties: { name: { type: 'string' }, confirm: { type: 'boolean' } } };
    return (await Promise.all([ctx.ask('Who?', 60, { schema }), ctx.ask('And who else?', 60, { schema })])).join(' ');
  });
}
