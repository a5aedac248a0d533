/** One network's part of the in-process facilitator. */
import type { NetworkName } from '@market/contract';
import type { Settled, StandardPayment, Verified } from './facilitator.ts';

export interface Settler {
  readonly network: NetworkName;
  /** Undefined until the chain has answered once. */
  readonly extra: Readonly<Record<string, unknown>> | undefined;
  nameOf(payment: StandardPayment): string | undefined;
  verify(payment: StandardPayment): Promise<Verified>;
  /** `identity` is the result of `nameOf`. */
  settle(payment: StandardPayment, identity: string): Promise<Settled>;
  findPreempted(payment: StandardPayment): Promise<string | undefined>;
  /** Number of further settlements that the sponsor can pay for at today's prices. Also reads what `extra` needs. */
  countAffordable(): Promise<number>;
}

export interface SettlementPace {
  /** How long `settle` waits for the chain before it answers `unknown`. */
  readonly confirmationMs: number;
  /** How long `settle` waits for the sponsor's key before it gives up, with nothing signed. */
  readonly turnMs: number;
}
