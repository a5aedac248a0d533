/**
 * A transport without a protocol: calls operations through the executor of a market in this process, with flat arguments. A check that
 * works here works for every transport, because only the executor can enforce it.
 */
import assert from 'node:assert/strict';
import { MarketError, type NamedOperation, type OperationName, operationList } from '@market/contract';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import type { OperationRequest } from '../../packages/server/src/surfaces/operation-request.ts';
import type { Envelope } from './http.ts';
import type { TestMarket } from './market.ts';
import { type SignatureFields, signed, type TestWallet } from './people.ts';

/** The client address of `fetch` in tests. */
export const REST_ADDRESS = '127.0.0.1';

export interface InProcessCall {
  readonly key?: string | undefined;
  readonly signature?: SignatureFields | undefined;
  /** The header SIGN-IN-WITH-X. */
  readonly signIn?: string | undefined;
  readonly idempotencyKey?: string;
  /** By default another client than the test's REST calls, so that only a test that wants to shares its limits. */
  readonly from?: string;
}

export interface InProcessReply {
  /** `ok`, or the code of the refusal. */
  readonly code: string;
  /** `{ data, …extras }` of a success. */
  readonly answer: Envelope;
  readonly replayed: boolean;
  readonly refusal: MarketError | undefined;
}

const log = createLogger({ level: 'silent', pretty: false });

export function operationNamed(name: OperationName): NamedOperation {
  const found = operationList.find((operation) => operation.name === name);
  assert.ok(found, name);
  return found;
}

export function requestFor(operation: NamedOperation, args: Record<string, unknown>, call: InProcessCall = {}): OperationRequest {
  return {
    operation,
    args,
    credentials: {
      clientAddress: call.from ?? '198.51.100.7',
      ...(call.key !== undefined && { bearer: call.key }),
      ...(call.signIn !== undefined && { signIn: call.signIn }),
      ...(call.signature && { signature: { from: 'headers' as const, ...call.signature } }),
    },
    log,
    idempotencyKey: call.idempotencyKey,
  };
}

/** A stream is opened, but not read. */
export async function callInProcess(
  { executor }: Pick<TestMarket, 'executor'>,
  name: OperationName,
  args: Record<string, unknown> = {},
  call: InProcessCall = {},
): Promise<InProcessReply> {
  const operation = operationNamed(name);
  const request = requestFor(operation, args, call);
  try {
    if (operation.spec.output.stream === true) {
      await executor.open(request);
      return { code: 'ok', answer: {}, replayed: false, refusal: undefined };
    }
    const { answer, replayed, afterAnswer } = await executor.execute(request);
    for (const work of afterAnswer) await work();
    return { code: 'ok', answer: JSON.parse(JSON.stringify(answer)) as Envelope, replayed, refusal: undefined };
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    return { code: error.code, answer: {}, replayed: false, refusal: error };
  }
}

/** Requires a success and returns its `data`. */
export async function expectInProcess(
  market: Pick<TestMarket, 'executor'>,
  name: OperationName,
  args: Record<string, unknown>,
  by: { readonly key?: string; readonly wallet?: TestWallet } = {},
): Promise<Envelope> {
  const signature = by.wallet && (await signed(by.wallet));
  const { code, answer, refusal } = await callInProcess(market, name, args, { key: by.key, signature });
  assert.equal(code, 'ok', `${name}: ${refusal?.message}`);
  return answer['data'];
}
