/** An outgoing transfer as the chain shows it. */
export interface SeenOutgoing {
  readonly reference: string;
  /** Distinguishes several transfers of one transaction. */
  readonly position: number;
  /** See `Chain.intentKey`; null when the transfer names no intent. */
  readonly intentKey: string | null;
  readonly destination: string;
  readonly micros: bigint;
}

/** An outgoing transfer that the books know. */
export interface KnownOutgoing {
  readonly reference: string;
  /** The intent, or its name on chain. With neither, the entry explains transfers that name no intent. */
  readonly intentId: string | null;
  readonly intentKey: string | null;
}

/** A stranger may send several transfers that we signed in one transaction, so each is known by its own name. */
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
