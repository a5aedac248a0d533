/** The typed client. Its methods and their requests are derived from the contract's operations. */
import {
  groupBy,
  type NamedOperation,
  type OperationAnswer,
  type OperationCall,
  type OperationSpec,
  type Operations,
  operationList,
} from '@market/contract';
import { composeRequest } from './compose-request.ts';
import { followStream } from './follow-stream.ts';
import type { Identity } from './identity.ts';
import { loadProver, type Prove, withoutWallet } from './proof.ts';
import { sendWithRetries, type TransportOptions } from './transport.ts';

export interface ClientOptions extends Identity {
  readonly baseUrl: string;
  readonly fetch?: typeof globalThis.fetch;
  /** Timeout of each attempt, answer included; ten times as long for a file upload. */
  readonly timeoutMs?: number;
  /** Maximum retries after the first attempt, for errors that a retry may solve. */
  readonly retries?: number;
}

export interface CallOptions {
  /** Writes get a random key by default, so that their retries cannot act twice. */
  readonly idempotencyKey?: string;
  /** The budget session whose limit a paying call must respect. */
  readonly budgetSession?: string;
  readonly signal?: AbortSignal;
  /** Sign with the wallet even if the call does not require it, e.g. `custody` to replace the key of an owned agent. */
  readonly proof?: 'custody' | 'ordinary';
}

type StreamMethod<S extends OperationSpec> = (
  args?: OperationCall<S>,
  options?: Pick<CallOptions, 'signal'>,
) => AsyncIterable<OperationAnswer<S>['data']>;

type ClientMethod<S extends OperationSpec> = S['output'] extends { readonly stream: true } ? StreamMethod<S> : AnswerMethod<S>;

type AnswerMethod<S extends OperationSpec> =
  Record<never, never> extends OperationCall<S>
    ? (args?: OperationCall<S>, options?: CallOptions) => Promise<OperationAnswer<S>>
    : (args: OperationCall<S>, options?: CallOptions) => Promise<OperationAnswer<S>>;

export type MarketClient = {
  readonly [G in keyof Operations]: {
    readonly [M in keyof Operations[G]]: Operations[G][M] extends OperationSpec ? ClientMethod<Operations[G][M]> : never;
  };
};

type Call = (args?: Record<string, unknown>, options?: CallOptions) => Promise<Record<string, unknown>>;

type Follow = (args?: Record<string, unknown>, options?: CallOptions) => AsyncIterable<unknown>;

export function createMarketClient(options: ClientOptions): MarketClient {
  const identity: Identity = options;
  const transport: TransportOptions = {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    fetch: options.fetch ?? globalThis.fetch,
    timeoutMs: options.timeoutMs ?? 30_000,
    retries: options.retries ?? 2,
  };
  const { wallet, baseUrl } = options;
  const prover =
    wallet === undefined
      ? withoutWallet
      : loadProver(async () => {
          const [{ createProver }, { createAskChallenge }] = await Promise.all([import('./prover.ts'), import('./ask-challenge.ts')]);
          return createProver({ wallet, baseUrl, askChallenge: createAskChallenge(transport, identity) });
        });

  function methodOf(operation: NamedOperation): Call {
    return async (args = {}, call = {}) => {
      const request = composeRequest(operation, args, identity, call);
      const proven = { spec: operation.spec, args, request, proof: call.proof };
      const send = (prove: Prove) => sendWithRetries(transport, request, prove, call.signal);
      try {
        return await send(() => prover.prove(proven));
      } catch (refusal) {
        const stronger = await prover.answer(refusal, proven);
        if (stronger === undefined) throw refusal;
        return await send(stronger);
      }
    };
  }

  /** Reconnects automatically and resumes after the last event; ends when `signal` is aborted. */
  function streamOf(operation: NamedOperation): Follow {
    return (args = {}, call = {}) => {
      const request = composeRequest(operation, args, identity);
      return followStream(transport, request, () => prover.prove({ spec: operation.spec, args, request }), call.signal);
    };
  }

  const groups = groupBy(operationList, ({ group }) => group);
  const client = [...groups].map(([group, members]) => [
    group,
    Object.fromEntries(
      members.map((operation) => [operation.method, operation.spec.output.stream === true ? streamOf(operation) : methodOf(operation)]),
    ),
  ]);
  return Object.fromEntries(client) as MarketClient;
}
