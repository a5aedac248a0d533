/**
 * Counts calls against the limit of their operation. A transport may count early, before it has read the arguments, and pass the count to
 * the executor; without one, the executor counts. So no transport can bypass a limit, and no call is counted twice.
 */
import { describeLimit, endpointOf, furtherRateLimits, type NamedOperation, type OperationSpec } from '@market/contract';
import type { Credentials } from '../access/credentials.ts';
import { refusalOverBudget } from '../access/over-budget.ts';
import type { HoldsPass } from '../access/sandbox-pass.ts';
import type { Clock } from '../platform/clock/clock.ts';
import { limitedClient } from '../platform/limits/client-address.ts';
import type { LimitVerdict, RateLimiter } from '../platform/limits/rate-limiter.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';

/** The fields of a call's source that limits read. */
export type CallSource = Pick<Credentials, 'clientAddress' | 'countedAs' | 'sandboxPass'>;

/** Proof that one call was counted. It is valid for one call, of the same endpoint and client. */
export interface CountedCall {
  readonly endpoint: string;
  readonly client: string;
  /** Undefined where no limit applies. */
  readonly verdict: LimitVerdict | undefined;
  readonly windowSeconds: number;
}

/** The parts of an operation that limits read. The anonymous MCP endpoint has no operation of its own and provides these. */
export interface CountedOperation {
  readonly spec: Pick<OperationSpec, 'limit' | 'rest'>;
}

export interface CallCounter {
  count(operation: CountedOperation, source: CallSource): Promise<CountedCall>;
  /** As `RateLimiter.hitAtOnce`: undefined, and not counted, if the database must be asked. */
  countAtOnce(operation: NamedOperation, source: CallSource): CountedCall | undefined;
  /**
   * Counts a call whose answer will be stored, if its operation has no limit, or counts callers of one address separately. Throws above the
   * limit.
   */
  countKeyed(operation: CountedOperation, source: CallSource): Promise<void>;
  /** Throws when the call is over its limit. */
  requireWithinLimit(counted: CountedCall): void;
  /** Uses up a count for the call it was made for. Throws if it was made for another call, was already used, or is over the limit. */
  use(counted: CountedCall, operation: NamedOperation, source: CallSource): void;
}

export interface CallCounterOptions {
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'requestLimited'>;
  /** Recognises calls without limits: those of the sandbox's own demo. */
  readonly holdsPass: HoldsPass;
}

const KEYED = 'Idempotency-Key';

/** Only this file creates counts. Each count remembers whether it was used, which saves a lookup per request. */
class Count implements CountedCall {
  readonly endpoint: string;
  readonly client: string;
  readonly verdict: LimitVerdict | undefined;
  readonly windowSeconds: number;
  #isUsed = false;

  constructor(endpoint: string, client: string, verdict: LimitVerdict | undefined, windowSeconds = 0) {
    this.endpoint = endpoint;
    this.client = client;
    this.verdict = verdict;
    this.windowSeconds = windowSeconds;
  }

  /** False for a foreign count, or one that was already used. */
  static use(counted: CountedCall): boolean {
    if (!(#isUsed in counted) || counted.#isUsed) return false;
    counted.#isUsed = true;
    return true;
  }
}

export function createCallCounter({ limiter, clock, metrics, holdsPass }: CallCounterOptions): CallCounter {
  function requireWithinLimit({ endpoint, verdict, windowSeconds }: CountedCall): void {
    if (verdict === undefined || verdict.allowed) return;
    metrics.requestLimited(endpoint);
    const rule = describeLimit({ requests: verdict.limit, windowSeconds });
    throw refusalOverBudget(verdict, clock, `Too many requests: ${endpoint} takes ${rule}.`);
  }

  return {
    async count({ spec }, source) {
      const { limit } = spec;
      const endpoint = knownEndpointOf(spec);
      const client = clientOf(spec, source);
      const isFree = limit === undefined || holdsPass(source.sandboxPass);
      return isFree
        ? new Count(endpoint, client, undefined)
        : new Count(endpoint, client, await limiter.hit(endpoint, client, limit), limit.windowSeconds);
    },

    countAtOnce({ spec }, source) {
      if (spec.limit === undefined) return undefined;
      const endpoint = knownEndpointOf(spec);
      const client = clientOf(spec, source);
      const verdict = limiter.hitAtOnce(endpoint, client, spec.limit);
      return verdict && new Count(endpoint, client, verdict, spec.limit.windowSeconds);
    },

    async countKeyed({ spec }, source) {
      if (holdsPass(source.sandboxPass)) return;
      const { keyedCalls, keyedCallsOfAddress } = furtherRateLimits;
      const verdicts = await Promise.all([
        spec.limit === undefined ? limiter.hit(KEYED, clientOf(spec, source), keyedCalls) : undefined,
        source.countedAs === undefined
          ? undefined
          : limiter.hit(`${KEYED} of an address`, limitedClient(source.clientAddress), keyedCallsOfAddress),
      ]);
      const refused = verdicts.find((verdict) => verdict?.allowed === false);
      if (refused === undefined) return;
      metrics.requestLimited(KEYED);
      throw refusalOverBudget(refused, clock, `Only ${refused.limit} calls an hour may carry an Idempotency-Key.`);
    },

    requireWithinLimit,

    use(counted, operation, source) {
      const isFor = counted.client === clientOf(operation.spec, source) && endpointsOf(operation).includes(counted.endpoint);
      if (!isFor || !Count.use(counted)) throw new Error(`${operation.name} came with a count that is not its own`);
      requireWithinLimit(counted);
    },
  };
}

/** Counts the caller instead of the address if the transport knows the caller, so that people behind one address do not share limits. */
function clientOf({ limit }: CountedOperation['spec'], { clientAddress, countedAs }: CallSource): string {
  return limit?.countsAddress === true || countedAs === undefined ? limitedClient(clientAddress) : countedAs;
}

const endpoints = new Map<CountedOperation['spec'], string>();

/** Returns the same string each time, so that it is composed and hashed once. */
function knownEndpointOf(spec: CountedOperation['spec']): string {
  const known = endpoints.get(spec);
  if (known !== undefined) return known;
  const endpoint = endpointOf(spec);
  endpoints.set(spec, endpoint);
  return endpoint;
}

/** A GET with a body counts as the GET that its URL names. */
function endpointsOf({ spec }: NamedOperation): readonly string[] {
  return spec.rest.alsoByGet === true ? [knownEndpointOf(spec), `GET ${spec.rest.path}`] : [knownEndpointOf(spec)];
}
