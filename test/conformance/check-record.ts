/** Holds a record against the rows of a specification table and names every row that does not fit. */
import assert from 'node:assert/strict';
import type { FieldRow, FieldType } from './spec-tables.ts';

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const fits: Record<FieldType, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  'string or null': (value) => typeof value === 'string' || value === null,
  'string[]': (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  'object[]': (value) => Array.isArray(value) && value.every(isObject),
  integer: (value) => Number.isInteger(value),
  '0 or 1': (value) => value === 0 || value === 1,
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
  time: (value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(value),
};

export function assertRecord(record: Record<string, unknown>, table: readonly FieldRow[]): void {
  const misfits = table
    .filter(({ field, type, pattern }) => {
      const value = record[field];
      return !fits[type](value) || (pattern !== undefined && typeof value === 'string' && !pattern.test(value));
    })
    .map(({ field, type, pattern }) => `${field}: ${JSON.stringify(record[field])} is not ${type} ${pattern ?? ''}`);
  assert.deepEqual(misfits, []);
}
