/** Stores the signed transaction of a payment before it is sent, so that no crash and no second process can send another one. */

export interface PendingSettlement {
  /** Transaction reference the bytes have when they land. */
  readonly reference: string;
  /** Base64 of what is broadcast. */
  readonly bytes: string;
}

export interface PendingSettlements {
  find(identity: string): Promise<PendingSettlement | undefined>;
  /** Durable when it returns. Replaces the entry of this identity. */
  keep(identity: string, settlement: PendingSettlement): Promise<void>;
}
