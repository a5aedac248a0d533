/** An outgoing transfer as the chain shows it. */
export interface SeenOutgoing {
  readonly reference: string;
  /** Tells several transfers of one transaction apart. */
  readonly position: number;
  /** As of `Chain.intentKey`; null when it names no intent. */
  readonly intentKey: string | null;
  readonly destination: string;
  readonly micros: bigint;
}
