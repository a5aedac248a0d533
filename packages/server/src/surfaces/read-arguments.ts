/** Validates the flat arguments of a call against its operation. */
import { MarketError, type NamedOperation, nearestOf, type OperationSpec } from '@market/contract';
import { z } from 'zod';
import { type Arguments, type PartName, partNames, partsByArgument, sortArguments } from './argument-parts.ts';

interface Issue {
  readonly field: string;
  readonly message: string;
}

const nothing = z.object({});

/** Returns the arguments with defaults filled in. Refuses unknown arguments, and fields that the transport could not assign to one. */
export function readArguments(operation: NamedOperation, args: Arguments, unknownFields: readonly string[] = []): unknown {
  const sorted = sortArguments(operation, args);
  const unknown = [...sorted.unknown, ...unknownFields];
  const read = partNames.map((part) => schemaOf(operation.spec, part).safeParse(sorted[part]));
  const issues = read.flatMap(({ error }, index) => [
    ...(error?.issues ?? []).map(issueOf),
    ...(partNames[index] === 'body' && unknown.length > 0 ? [{ field: '', message: sentenceForUnknown(unknown, namesOf(operation)) }] : []),
  ]);
  if (issues.length > 0) throw invalidInput(issues);
  return Object.assign({}, ...read.map(({ data }) => data));
}

function schemaOf({ input }: OperationSpec, part: PartName): z.ZodObject {
  return input?.[part] ?? nothing;
}

const MAX_LISTED_ISSUES = 10;

export function invalidInput(issues: readonly Issue[]): MarketError {
  const listed = issues.slice(0, MAX_LISTED_ISSUES);
  return new MarketError('invalid_input', {
    message: [...new Set(listed.map(({ message }) => message))].join(' '),
    data: { issues: listed },
  });
}

/** Names of the arguments in query or body. */
function namesOf(operation: NamedOperation): readonly string[] {
  const own = [...partsByArgument(operation)].filter(([, part]) => part === 'query' || part === 'body').map(([name]) => name);
  return [...own, ...Object.keys(operation.spec.rest.synonyms ?? {})];
}

function sentenceForUnknown(names: readonly string[], known: readonly string[] = []): string {
  const shown = names.slice(0, 5).map((name) => name.slice(0, 60));
  const nearest = shown.map((name) => nearestOf(name, known)).filter((name) => name !== undefined);
  const hint = nearest.length === 0 ? '' : ` Did you mean ${[...new Set(nearest)].join(', ')}?`;
  return `Unknown field${shown.length === 1 ? '' : 's'}: ${shown.join(', ')}.${hint}`;
}

export function issueOf(issue: z.core.$ZodIssue): Issue {
  const field = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') return { field, message: sentenceForUnknown(issue.keys) };
  const own = field === '' ? undefined : sentenceFor(issue);
  if (own !== undefined) return { field, message: `${field} ${own}.` };
  const text = issue.message.replace(/\.$/, '');
  return { field, message: field === '' || text.startsWith(field.split('.')[0] ?? field) ? `${text}.` : `${field}: ${text}.` };
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Says what the field must be where Zod would name its own types. Undefined for sentences that the contract wrote. */
function sentenceFor(issue: z.core.$ZodIssue): string | undefined {
  if (!/^(Invalid input: expected|Too small: expected|Too big: expected|Invalid option: expected)/.test(issue.message)) return undefined;
  if (issue.code === 'invalid_type') {
    const type = typeWords[issue.expected];
    return issue.message.endsWith('received undefined') ? 'is missing' : type && `must be ${type}`;
  }
  if (issue.code === 'too_small')
    return sentenceForSize(issue.origin, `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`);
  if (issue.code === 'too_big')
    return sentenceForSize(issue.origin, `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`);
  return issue.code === 'invalid_value' ? `must be one of: ${issue.values.join(', ')}` : undefined;
}

function sentenceForSize(origin: string, size: string): string | undefined {
  if (origin === 'number' || origin === 'int') return `must be ${size}`;
  if (origin === 'string') return `must have ${size} characters`;
  return origin === 'array' || origin === 'set' ? `must have ${size} items` : undefined;
}
