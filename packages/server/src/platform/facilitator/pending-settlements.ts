/** What was signed for a payment, remembered before it is sent, so that no crash and no second process can send another transaction for it. */

export interface PendingSettlement {
  /** Transaction reference the bytes have when they land. */
  readonly reference: string;
  /** Base64 of what is broadcast. */
  readonly bytes: string;
}

export interface PendingSettlements {
  find(identity: string): Promise<PendingSettlement | undefined>;
  /** Durable when it returns. Replaces what was kept under this identity. */
  keep(identity: string, settlement: PendingSettlement): Promise<void>;
}
