/** x402 inside MCP: the payment travels in `_meta` of the call, its receipt in `_meta` of the result. */
import type { NamedOperation } from '@market/contract';

export const PAYMENT_KEY = 'x402/payment';
const RECEIPT_KEY = 'x402/payment-response';

/** The payment as the header that carries it over HTTP. Tools without a payment field ignore it. */
export function paymentArguments({ spec }: NamedOperation, payment: unknown): Record<string, string> {
  const takes = spec.input?.headers?.shape ?? {};
  if (payment === undefined || !Object.hasOwn(takes, 'payment_signature')) return {};
  const encoded = Buffer.from(JSON.stringify(payment)).toString('base64');
  const isFirstVersion = (payment as { x402Version?: unknown } | null)?.x402Version === 1;
  return isFirstVersion ? { x_payment: encoded } : { payment_signature: encoded };
}

export function receiptOf(headers: ReadonlyMap<string, string>): Record<string, unknown> {
  const receipt = decodeHeader(headers.get('PAYMENT-RESPONSE') ?? headers.get('X-PAYMENT-RESPONSE'));
  return receipt === undefined ? {} : { [RECEIPT_KEY]: receipt };
}

/** x402 headers are JSON in base64. */
export function decodeHeader(value: string | undefined): Record<string, unknown> | undefined {
  return value === undefined ? undefined : (JSON.parse(Buffer.from(value, 'base64').toString('utf8')) as Record<string, unknown>);
}
