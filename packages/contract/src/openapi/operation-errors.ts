import { permits } from '../authority/permits.ts';
import { commonErrors, keepsAnswers, mayPay, type OperationSpec } from '../define-operation.ts';
import { type ErrorCode, errorCatalogue } from '../errors.ts';
import { statusOfKind } from '../kernel/errors.ts';
import { spendRefusals } from '../spending/errors.ts';

export interface ErrorReference {
  readonly code: ErrorCode;
  readonly status: number;
  readonly message: string;
}

export interface OperationErrors {
  /** Codes that the definition names for this operation. */
  readonly own: readonly ErrorReference[];
  /** Codes that follow from the operation's credentials, body and effects, or that any operation can answer. */
  readonly implied: readonly ErrorReference[];
}

function describeError(code: ErrorCode): ErrorReference {
  const { kind, message } = errorCatalogue[code];
  return { code, status: statusOfKind[kind], message };
}

export function listErrors(): readonly ErrorReference[] {
  return byStatus(Object.keys(errorCatalogue) as ErrorCode[]);
}

export function errorsOf(spec: OperationSpec): OperationErrors {
  const own = new Set<ErrorCode>(spec.errors ?? []);
  const implied = new Set<ErrorCode>([
    ...accessErrors(spec),
    ...bodyErrors(spec),
    ...writeErrors(spec),
    ...payErrors(spec),
    ...commonErrors,
  ]);
  return { own: byStatus([...own]), implied: byStatus([...implied].filter((code) => !own.has(code))) };
}

/** Codes of credential checks: every credential sent is checked, even if the call needs another kind or none. */
const credentialErrors = [
  'invalid_api_key',
  'invalid_order_token',
  'invalid_token',
  'invalid_signature',
  'signature_already_used',
  'signature_expired',
  'signature_from_future',
  'idp_not_configured',
  'idp_unavailable',
  'banned',
  // Checks of wrong keys and of contract wallet signatures are rate limited.
  'too_many_requests',
] as const satisfies readonly ErrorCode[];

function accessErrors(spec: OperationSpec): ErrorCode[] {
  const { access, rest, power } = spec;
  const codes: ErrorCode[] = [...credentialErrors];
  const takes = (kind: (typeof access.accepts)[number]) => access.accepts.includes(kind);
  if (!takes('anonymous')) codes.push('unauthenticated', 'wrong_credential');
  if (takes('admin')) codes.push('forbidden');
  if (takes('wallet') && !takes('anonymous') && permits('sign_in', spec)) codes.push('sign_in_required');
  if (power === 'fund' || power === 'move' || power === 'grant') codes.push('custody_signature_required');
  if (spec.proofs?.includes('action') === true) codes.push('sign_in_message_required');
  if (rest.method !== 'GET' || power === 'spend') codes.push('cross_site_request');
  return codes;
}

function bodyErrors({ rest }: OperationSpec): ErrorCode[] {
  if (!mayHaveBody(rest.method)) return [];
  if (rest.multipart !== undefined) return ['invalid_encoding', 'body_too_large', 'unsupported_media_type'];
  return ['invalid_json', 'invalid_encoding', 'json_too_deep', 'body_too_large', 'unsupported_media_type'];
}

function writeErrors(spec: OperationSpec): ErrorCode[] {
  if (!keepsAnswers(spec)) return [];
  return ['invalid_idempotency_key', 'idempotency_in_flight', 'idempotency_key_reused'];
}

function payErrors(spec: OperationSpec): readonly ErrorCode[] {
  return mayPay(spec) ? spendRefusals : [];
}

export function mayHaveBody(method: string): boolean {
  return method !== 'GET' && method !== 'DELETE';
}

function byStatus(codes: readonly ErrorCode[]): ErrorReference[] {
  return codes.map(describeError).sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1));
}
