import type { NetworkName } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { LedgerAccount } from '../ledger/index.ts';
import type { ClaimRow } from './repository.ts';
import type { WaitingRoom } from './waiting-room.ts';

export interface PaymentsContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  /** From this amount on a payment must be final before it counts. */
  readonly finalFromMicros: bigint;
  /** Addresses from which standard payments of others are handed in. */
  readonly relayers: readonly string[];
  /** How long a bare transfer can be contested, and above which amount. */
  readonly contest: { readonly windowMinutes: number; readonly aboveMicros: bigint };
  /** Where requests wait for a payment that is not final enough. */
  readonly waitingRoom: WaitingRoom;
  /** By purpose, what a bare claim bought. A new purpose that takes bare transfers brings its own. */
  readonly claimHolders: ClaimHolders;
}

export type ClaimHolders = Partial<Record<ClaimRow['purpose'], ClaimHolder>>;

/** What was bought with a claim that can be contested. Both calls lock it before the claim, so that a contest and a payout have one winner. */
export interface ClaimHolder {
  /** Undoes what was bought and names the account that still holds the price; undefined when the money has left. */
  giveUp(tx: Tx, claim: ClaimRow, network: NetworkName): Promise<LedgerAccount | undefined>;
  /** The payer is proven now: what waited for the end of the window happens. */
  keep(tx: Tx, claim: ClaimRow, network: NetworkName): Promise<void>;
}
