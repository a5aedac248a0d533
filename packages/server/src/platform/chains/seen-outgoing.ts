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

/** What the books know to have left in a transaction. */
export interface KnownOutgoing {
  readonly reference: string;
  /** Its intent, or the intent's name on chain. Without either it explains transfers that name no intent. */
  readonly intentId: string | null;
  readonly intentKey: string | null;
}

/** Several transfers may leave in one transaction, when a stranger sends what we signed: each is known by its own name. */
export function namesOfKnown(known: readonly KnownOutgoing[], keyOf: (intentId: string) => string): ReadonlySet<string> {
  return new Set(
    known.flatMap(({ reference, intentId, intentKey }) => {
      const key = intentId === null ? intentKey : keyOf(intentId);
      return key === null ? [reference] : [reference, nameWithin(reference, key)];
    }),
  );
}

export function isKnownOutgoing(
  known: ReadonlySet<string>,
  { reference, intentKey }: Pick<SeenOutgoing, 'reference' | 'intentKey'>,
): boolean {
  return known.has(intentKey === null ? reference : nameWithin(reference, intentKey));
}

function nameWithin(reference: string, intentKey: string): string {
  return `${reference} ${intentKey}`;
}
