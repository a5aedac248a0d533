/** Help texts in the usual form: usage, facts, flags, example. All are derived from the definitions. */
import type { FieldReference, NamedOperation, OperationReference } from '@market/contract';
import type { Command, CommandGroup } from './command.ts';
import { settingFlags } from './settings.ts';
import { kebabCase } from './spelling.ts';

const WIDTH = 100;

export function overviewHelp(registry: Readonly<Record<string, Command | CommandGroup>>): string {
  const entries = Object.entries(registry).map(([name, entry]): [string, string] => [
    name,
    'commands' in entry ? Object.keys(entry.commands).join(', ') : entry.summary,
  ]);
  return blocks(
    'market: the marketplace from the command line',
    'Usage: market <group> <command> [--flag value …]',
    section('Groups', entries),
    section(
      'Settings',
      settingRows(() => true),
    ),
    'Help: market <group> --help, market <group> <command> --help',
  );
}

export function groupHelp(group: string, { commands }: CommandGroup): string {
  return blocks(
    `Usage: market ${group} <command> [--flag value …]`,
    section(
      'Commands',
      Object.entries(commands).map(([name, { summary }]): [string, string] => [name, summary]),
    ),
  );
}

export function operationHelp(operation: NamedOperation, reference: OperationReference): string {
  const { fields, summary, description, method, path, access, limit } = reference;
  const command = commandLine(operation);
  const taken = new Set(fields.map(({ name }) => kebabCase(name)));
  const facts = [`${method} ${path}`, `Access: ${access}`, ...(limit === undefined ? [] : [`Limit: ${limit}`])];
  const positionals = fields.filter((field) => field.in === 'path').map(({ name }) => ` <${name}>`);
  return blocks(
    `${summary}.${description === undefined ? '' : ` ${description}`}`,
    `Usage: ${command}${positionals.join('')}${fields.length > positionals.length ? ' [--flag value …]' : ''}`,
    facts.map((fact) => wrap(plain(fact), WIDTH).join('\n')).join('\n'),
    fields.length === 0
      ? undefined
      : section(
          'Flags',
          fields.map((field): [string, string] => [flagOf(field), describeField(field)]),
        ),
    section(
      'Settings',
      settingRows((flag) => !taken.has(flag)),
    ),
    ...operation.spec.examples.map(({ title, input }) => `${title}:\n  ${command}${exampleFlags(fields, input ?? {})}`),
  );
}

function commandLine({ group, method }: NamedOperation): string {
  return `market ${kebabCase(group)} ${kebabCase(method)}`;
}

function flagOf(field: FieldReference): string {
  const flag = kebabCase(field.name);
  return field.kind === 'boolean' ? `--${flag}, --no-${flag}` : `--${flag} <${field.kind === 'file' ? 'path' : field.type}>`;
}

function describeField(field: FieldReference): string {
  const presence = field.required ? 'Required.' : field.default === undefined ? '' : `Default ${JSON.stringify(field.default)}.`;
  return `${presence} ${field.description}`.trim();
}

function settingRows(isFree: (flag: string) => boolean): [string, string][] {
  return settingFlags.filter(({ flag }) => isFree(flag)).map(({ flag, value, description }) => [`--${flag} ${value}`.trim(), description]);
}

function exampleFlags(fields: readonly FieldReference[], input: Readonly<Record<string, unknown>>): string {
  return fields
    .filter(({ name }) => input[name] !== undefined)
    .map(({ name, kind }) => {
      const value = input[name];
      if (kind === 'boolean') return ` --${value === true ? '' : 'no-'}${kebabCase(name)}`;
      const words = Array.isArray(value) ? value.join(',') : typeof value === 'object' ? JSON.stringify(value) : String(value);
      return ` --${kebabCase(name)} ${/^[\w@%+=:,./-]+$/.test(words) ? words : `'${words.replaceAll("'", `'\\''`)}'`}`;
    })
    .join('');
}

function section(title: string, rows: readonly (readonly [string, string])[]): string {
  const column = Math.min(34, Math.max(...rows.map(([name]) => name.length)) + 4);
  const lines = rows.flatMap(([name, text]) => {
    const [first = '', ...more] = wrap(plain(text), WIDTH - column);
    const indent = ' '.repeat(column);
    const head = `  ${name}`;
    const opening = head.length + 2 > column ? [head, `${indent}${first}`] : [`${head.padEnd(column)}${first}`];
    return [...opening, ...more.map((line) => indent + line)].map((line) => line.trimEnd()).filter((line) => line !== '');
  });
  return [title, ...lines].join('\n');
}

function blocks(...parts: readonly (string | undefined)[]): string {
  return parts
    .filter((part) => part !== undefined)
    .map((part) => (part.includes('\n') ? part : wrap(plain(part), WIDTH).join('\n')))
    .join('\n\n');
}

/** The definitions mark code with backticks, which mean nothing in a terminal. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const current = lines.at(-1);
    if (current !== undefined && current.length + 1 + word.length <= width) lines[lines.length - 1] = `${current} ${word}`;
    else lines.push(word);
  }
  return lines;
}
