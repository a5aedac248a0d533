/** Stores the signed transaction of a payment before it is sent, so that no crash and no second process can send another one. */

export interface PendingSettlement {
  /** Transaction reference that the bytes have when they land. */
  readonly reference: string;
  /** The bytes to broadcast, in base64. */
  readonly bytes: string;
}

export interface PendingSettlements {
  find(identity: string): Promise<PendingSettlement | undefined>;
  /** Durable when it returns. Replaces the entry of this identity. */
  keep(identity: string, settlement: PendingSettlement): Promise<void>;
}
