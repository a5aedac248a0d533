import type { NetworkName } from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { LedgerAccount } from '../ledger/index.ts';
import type { ClaimRow } from './repository.ts';
import type { WaitingRoom } from './waiting-room.ts';

export interface PaymentsContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly log: Logger;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  /** The amount from which on a payment must be final before it counts. */
  readonly finalFromMicros: bigint;
  /** Addresses from which we relay standard payments. */
  readonly relayers: readonly string[];
  /** The time in which a bare transfer can be contested, and the amount above which it can. */
  readonly contest: { readonly windowMinutes: number; readonly aboveMicros: bigint };
  /** The public address of this service. From the configuration: no request can change what it is asked to pay for or to sign. */
  readonly baseUrl: string;
  /** The room for requests that wait for a payment that is not final enough. */
  readonly waitingRoom: WaitingRoom;
  /** The purchases of bare claims, by purpose. Each purpose that accepts bare transfers registers its own. */
  readonly claimHolders: ClaimHolders;
  /** Called when the chain shows a reverted payment again, in the transaction that restores it, before anything is written. */
  readonly onRestored?: (tx: Tx, claim: ClaimRow) => Promise<void>;
}

export type ClaimHolders = Partial<Record<ClaimRow['purpose'], ClaimHolder>>;

/** A purchase whose claim can be contested. Both calls lock it before the claim, so that of a contest and a payout only one wins. */
export interface ClaimHolder {
  /**
   * Cancels the purchase and ends what its first presenter got. Returns the account that still holds the price; undefined when the money
   * has left.
   */
  giveUp(tx: Tx, claim: ClaimRow, network: NetworkName): Promise<LedgerAccount | undefined>;
  /** The payer is proven now: do what waited for the end of the contest window. */
  keep(tx: Tx, claim: ClaimRow, network: NetworkName, shown: Shown): Promise<void>;
}

/** Credentials that came with the payer's proof: an API key, a token of the order. */
export type Shown = Pick<Caller, 'agent' | 'orderId'>;
