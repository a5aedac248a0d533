/** Flags → arguments of the operation and settings of the command. */
import { parseArgs } from 'node:util';
import { type FieldReference, groupBy } from '@market/contract';
import { UsageError } from './command.ts';
import { readValue } from './read-value.ts';
import { type Settings, settingFlags } from './settings.ts';
import { kebabCase, nearestOf } from './spelling.ts';

export interface ParsedFlags {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly settings: Settings;
}

interface Given {
  readonly flag: string;
  /** `undefined` for a bare flag. */
  readonly value: string | undefined;
  readonly negated: boolean;
}

/** A field wins over a setting of the same name: `market agents link --api-key …` is the key to link. */
export function parseFlags(fields: readonly FieldReference[], args: readonly string[]): ParsedFlags {
  const byFlag = new Map(fields.map((field) => [kebabCase(field.name), field]));
  const settingsHere = settingFlags.filter(({ flag }) => !byFlag.has(flag));
  const options = {
    ...Object.fromEntries(settingsHere.map(({ flag, type }) => [flag, { type }])),
    ...Object.fromEntries(
      [...byFlag].map(([flag, { kind }]) => [flag, { type: kind === 'boolean' ? ('boolean' as const) : ('string' as const) }]),
    ),
  };
  const { given, positionals } = tokenise(args, options);

  const values: Record<string, unknown> = positionalFields(fields, positionals);
  const settings: Record<string, string | boolean> = {};
  for (const [flag, occurrences] of groupBy(given, (entry) => entry.flag)) {
    const field = byFlag.get(flag);
    if (field !== undefined) values[field.name] = readValue(field, flag, occurrences);
    else settings[flag] = occurrences.at(-1)?.value ?? true;
  }
  return { fields: values, settings };
}

function tokenise(
  args: readonly string[],
  options: Record<string, { type: 'string' | 'boolean' }>,
): { given: Given[]; positionals: string[] } {
  const spelled = args.map((word) => (word.startsWith('--') ? word.replace(/^--[^=]+/, (name) => `--${kebabCase(name.slice(2))}`) : word));
  const { tokens } = parseArgs({ args: spelled, options, strict: false, allowPositionals: true, tokens: true });
  const given: Given[] = [];
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const negated = !Object.hasOwn(options, token.name) && options[token.name.replace(/^no-/, '')]?.type === 'boolean';
    const flag = negated ? token.name.slice('no-'.length) : token.name;
    const option = options[flag];
    if (option === undefined || !token.rawName.startsWith('--')) throw unknownFlag(token.rawName, Object.keys(options));
    if (option.type === 'string') refuseMissingValue(flag, token.value, token.inlineValue);
    given.push({ flag, value: token.value, negated });
  }
  return { given, positionals };
}

function refuseMissingValue(flag: string, value: string | undefined, inline: boolean | undefined): void {
  if (value === undefined) throw new UsageError(`--${flag} needs a value.`);
  if (inline !== true && value.startsWith('--'))
    throw new UsageError(`--${flag} needs a value. If ${value} is meant, write --${flag}=${value}.`);
}

function unknownFlag(rawName: string, flags: readonly string[]): UsageError {
  const nearest = nearestOf(rawName.replace(/^-+/, ''), flags);
  return new UsageError(
    `There is no flag ${rawName}. ${nearest === undefined ? 'Add --help to see the flags.' : `Did you mean --${nearest}?`}`,
  );
}

/** Path parameters may stand without their flag: `market agents get tallyrook`. */
function positionalFields(fields: readonly FieldReference[], positionals: readonly string[]): Record<string, unknown> {
  const pathFields = fields.filter((field) => field.in === 'path');
  const extra = positionals[pathFields.length];
  if (extra !== undefined) throw new UsageError(`"${extra}" stands alone. Write it as --<flag> ${extra}; add --help to see the flags.`);
  return Object.fromEntries(positionals.map((value, index) => [pathFields[index]?.name, value]));
}
