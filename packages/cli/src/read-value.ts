import type { FieldReference } from '@market/contract';
import { UsageError } from './command.ts';

interface Occurrence {
  readonly value: string | undefined;
  readonly negated: boolean;
}

/** Converts the flag's values into the type of the field. */
export function readValue(field: FieldReference, flag: string, occurrences: readonly Occurrence[]): unknown {
  const last = occurrences.at(-1);
  if (field.kind === 'boolean') return readBoolean(flag, last);
  if (field.nullable && last?.value === 'null') return null;
  if (field.kind !== 'array') return readScalar(field.kind, flag, last?.value ?? '');
  return occurrences.flatMap(({ value }) => readItems(field, flag, value ?? ''));
}

function readBoolean(flag: string, occurrence: Occurrence | undefined): boolean {
  const { value = 'true', negated } = occurrence ?? { negated: false };
  if (value !== 'true' && value !== 'false') throw new UsageError(`--${flag} is yes or no: write --${flag} or --no-${flag}.`);
  return (value === 'true') !== negated;
}

/** `a,b`, or a JSON array where an item holds a comma. */
function readItems(field: FieldReference, flag: string, value: string): unknown[] {
  if (value === '') return [];
  if (value.startsWith('[')) {
    const items = readJson(flag, value);
    if (Array.isArray(items)) return items;
  }
  return value.split(',').map((item) => readScalar(field.itemKind, flag, item.trim()));
}

function readScalar(kind: FieldReference['kind'], flag: string, value: string): unknown {
  switch (kind) {
    case 'string':
    case 'file':
      return value;
    case 'integer':
    case 'number':
      return readNumber(flag, value);
    default:
      return readJson(flag, value);
  }
}

function readNumber(flag: string, value: string): number {
  const number = Number(value);
  if (value.trim() === '' || Number.isNaN(number)) throw new UsageError(`--${flag} needs a number, not "${value}".`);
  return number;
}

function readJson(flag: string, value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new UsageError(`--${flag} needs JSON.`);
  }
}
