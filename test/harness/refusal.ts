/** The form that every refusal must have, and details that it must never show. */
import { errorCatalogue, statusOfKind } from '@market/contract';
import type { Envelope, Reply } from './http.ts';

/** Internal words. No test input contains them, so an answer with one has leaked it. */
const INSIDES = [
  /\n\s+at /,
  /node_modules|packages\/server|node:internal|\.ts:\d/,
  /syntax error at or near|invalid input syntax|violates|relation "|out of range for type|invalid byte sequence/i,
  /Cannot read prop|is not a function|is not iterable|of undefined|Maximum call stack|Unexpected end of data/,
  /kysely|ZodError|FST_|ECONN/i,
];

/** Each fault of the refusal in words; empty if it is sound. */
export function faultsOfRefusal(reply: Reply & { readonly text?: string }): string[] {
  const { status, headers, body } = reply;
  const faults: string[] = [];
  const definition = errorCatalogue[body['code'] as keyof typeof errorCatalogue] as
    | (typeof errorCatalogue)[keyof typeof errorCatalogue]
    | undefined;
  if (body['success'] !== false) faults.push('success is not false');
  if (typeof body['error'] !== 'string' || body['error'].trim() === '') faults.push('error is not a sentence');
  if (definition === undefined) faults.push(`code ${JSON.stringify(body['code'])} is not in the catalogue`);
  else if (statusOfKind[definition.kind] !== status) faults.push(`code ${body['code']} came with status ${status}`);
  if (typeof body['request_id'] !== 'string' || body['request_id'] !== headers.get('x-request-id'))
    faults.push(`request_id ${body['request_id']} differs from X-Request-Id ${headers.get('x-request-id')}`);
  if (headers.get('content-type')?.startsWith('application/json') !== true)
    faults.push(`content type ${headers.get('content-type')} is not JSON`);
  if (headers.get('x-content-type-options') !== 'nosniff') faults.push('a browser may guess another type');
  if (status === 500) faults.push('the service fell over');
  return [...faults, ...findLeaks(body)];
}

function findLeaks(body: Envelope): string[] {
  const text = JSON.stringify(body).replaceAll('\\n', '\n');
  return INSIDES.flatMap((inside) => inside.exec(text)?.[0] ?? []).map((leak) => `gives away ${JSON.stringify(leak)}`);
}
