/** The hash that identifies a repeated call under the same Idempotency-Key. It is the same for every transport. */
import type { NamedOperation } from '@market/contract';
import type { ReceivedFile } from '../access/call.ts';
import { hashJson } from '../platform/hash-json.ts';
import { type Arguments, sortArguments } from './argument-parts.ts';
import { bodyOf } from './rest-binding.ts';

/**
 * The first hash is stored; each of the others identifies the same call. Neither credentials nor payments are hashed, because an honest
 * retry may sign anew. The hash over null stands for keys from before all transports shared one executor; such keys live for a day.
 */
export function requestHashes(operation: NamedOperation, args: Arguments, file: ReceivedFile | undefined): readonly [Buffer, ...Buffer[]] {
  const sorted = sortArguments(operation, args);
  const body = bodyOf(operation, sorted.body);
  const hash = (form: unknown): Buffer => {
    const content = [operation.name, asTexts(sorted.path), asTexts(sorted.query), form, ...(file ? [file.sha256] : [])];
    return hashJson(content);
  };
  return Object.keys(body).length === 0 ? [hash({}), hash(null)] : [hash(body)];
}

/** URLs contain only text, so 20 is "20" there. */
function asTexts(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, Array.isArray(value) ? value.map(asText) : asText(value)]),
  );
}

function asText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
