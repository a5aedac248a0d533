/** One command from one operation: its flags are the fields, its work is the SDK's method. */
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { describeOperation, type NamedOperation, type OperationReference } from '@market/contract';
import { createMarketClient, MarketApiError } from '@market/sdk';
import { type Command, Refused, type Terminal, UsageError } from './command.ts';
import { operationHelp } from './help.ts';
import { nextSteps } from './next-steps.ts';
import { parseFlags } from './parse-flags.ts';
import { clientOptions, type Settings } from './settings.ts';
import { kebabCase } from './spelling.ts';

type Call = (args: Record<string, unknown>) => Promise<Record<string, unknown>>;
type Follow = (args: Record<string, unknown>, options: { readonly signal: AbortSignal }) => AsyncIterable<unknown>;

export function commandOf(operation: NamedOperation): Command {
  const describe = () => describeOperation(operation, '');
  return {
    summary: operation.spec.summary,
    help: () => operationHelp(operation, describe()),
    run: (args, terminal) => runOperation(operation, describe(), args, terminal),
  };
}

async function runOperation(
  operation: NamedOperation,
  reference: OperationReference,
  args: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const { fields, settings } = parseFlags(reference.fields, args);
  const input = { ...(await readBody(settings, terminal)), ...fields };
  refuseMissing(reference, input);
  refuseUnknown(reference, input);
  await openFiles(reference, input);
  const identity = clientOptions(settings, terminal.env);
  const full = settings['full'] === true;
  try {
    await callAndPrint(operation, createMarketClient(identity), input, full, terminal);
  } catch (error) {
    if (!(error instanceof MarketApiError)) throw error;
    throw new Refused(error, nextSteps(error, { accepts: operation.spec.access.accepts, identity, full }));
  }
}

async function callAndPrint(
  { group, method, spec }: NamedOperation,
  client: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  input: Record<string, unknown>,
  full: boolean,
  terminal: Terminal,
): Promise<void> {
  if (spec.output.stream === true) {
    const follow = client[group]?.[method] as Follow;
    for await (const event of follow(input, { signal: terminal.interruption() })) terminal.print(JSON.stringify(event));
    return;
  }
  const call = client[group]?.[method] as Call;
  const answer = await call(input);
  terminal.print(JSON.stringify(full ? answer : answer['data'], undefined, 2));
}

async function readBody(settings: Settings, terminal: Terminal): Promise<Record<string, unknown>> {
  if (settings['body'] === undefined) return {};
  if (settings['body'] !== '-') throw new UsageError('--body takes "-" and reads a JSON object from standard input.');
  const wrong = new UsageError('Standard input must hold one JSON object.');
  try {
    const value: unknown = JSON.parse(await terminal.readInput());
    if (value === null || typeof value !== 'object' || Array.isArray(value)) throw wrong;
    return value as Record<string, unknown>;
  } catch {
    throw wrong;
  }
}

function refuseMissing({ fields }: OperationReference, input: Record<string, unknown>): void {
  const missing = fields.filter(({ name, required }) => required && input[name] === undefined).map(({ name }) => `--${kebabCase(name)}`);
  if (missing.length > 0) throw new UsageError(`Missing: ${missing.join(', ')}. Add --help to see the flags.`);
}

function refuseUnknown({ fields }: OperationReference, input: Record<string, unknown>): void {
  const unknown = Object.keys(input).find((name) => !fields.some((field) => field.name === name));
  if (unknown !== undefined) throw new UsageError(`Standard input names "${unknown}", which this command does not take.`);
}

/** Replaces a path by its file, which is read while it is sent. */
async function openFiles({ fields }: OperationReference, input: Record<string, unknown>): Promise<void> {
  for (const { name } of fields.filter(({ kind }) => kind === 'file')) {
    const path = String(input[name]);
    try {
      input[name] = new File([await openAsBlob(path)], basename(path));
    } catch {
      throw new UsageError(`--${kebabCase(name)}: ${path} cannot be read.`);
    }
  }
}
