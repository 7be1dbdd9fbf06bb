import { Command } from 'clipanion';
import { DescriptionCommand, noteOf, type Preview, writeSource } from '../../openapi/command.ts';
import { plain, table } from '../../lib/output.ts';

const SHOWN_TOOLS = 60;
/** They come first. */
const SEARCH_SKILLS = 3;

export class OpenApiPreviewCommand extends DescriptionCommand {
  static override paths = [['openapi', 'preview']];
  static override usage = Command.Usage({
    description: 'show the agent that an API description would become',
    details:
      'URL is an address, a file, or - for standard input: Swagger 2.0, OpenAPI 3.0 or 3.1, in JSON or YAML. Shows tools, their sizes, what callers set, and files. Nothing is stored.',
    examples: [
      ['A description on the internet', 'svc openapi preview https://petstore3.swagger.io/api/v3/openapi.json'],
      ['A file, only what reads', 'svc openapi preview openapi.yaml --method GET'],
      ['The source, to look at', 'svc openapi preview openapi.yaml --out ./look'],
    ],
  });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    const preview = await this.client().agents.openapiPreview({ body: await this.wish() });
    if (this.out !== undefined) {
      await writeSource(this.out, preview.files);
      output.note(`Wrote ${preview.files.length} files to ${this.out}`);
    }
    output.result(preview, () => described(preview));
    for (const warning of preview.warnings) output.note(noteOf(warning));
    return 0;
  }
}

function described(preview: Preview): string[] {
  const { name, title, api_version, base_url, mode, skills, operations_chosen, operations_total, tools, bytes, estimated_tokens, setup_fields, files } =
    preview;
  const own = skills.slice(SEARCH_SKILLS);
  const how = mode === 'each' ? 'one skill each' : 'found by search_operations, read by describe_operation, called by call_operation';
  const notes = (tool: Preview['tools'][number]): string =>
    [tool.approval && 'asks first', tool.paged && 'pages', tool.read_only && 'reads only'].filter(Boolean).join(', ');
  const rows = tools
    .slice(0, SHOWN_TOOLS)
    .map((tool) => [tool.name, tool.method, plain(tool.path), size(tool.input_bytes), size(tool.output_bytes), notes(tool)]);
  const more = operations_chosen - rows.length;
  return [
    plain(`${name}: ${title} ${api_version} at ${base_url ?? '(no server: give --base-url)'}`),
    `${operations_chosen} of ${operations_total} operations, ${how}`,
    ...(mode === 'search' && own.length > 0 ? [`With skills of their own: ${own.join(', ')}`] : []),
    `A client reads ${size(bytes)} of skills, about ${estimated_tokens} tokens`,
    '',
    ...table(['NAME', 'METHOD', 'PATH', 'INPUT', 'OUTPUT', ''], rows),
    ...(more > 0 ? [`… and ${more} more`] : []),
    ...(setup_fields.length > 0
      ? [
          '',
          ...table(
            ['EACH CALLER SETS', 'REQUIRED', 'SENT AS', 'ONLY TO'],
            setup_fields.map((field) => [field.name, field.required ? 'yes' : 'no', plain(field.sent_as), plain(field.hosts.join(', '))]),
          ),
        ]
      : []),
    '',
    ...table(
      ['FILE', 'BYTES'],
      files.map((file) => [file.path, String(file.bytes)]),
    ),
  ];
}

function size(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KiB`;
}
