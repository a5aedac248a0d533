/** A review being published, stored in this browser. Without it a reload could publish twice. */

export interface PublishRecord {
  /** Absent while the wallet asks the person: it may have sent. */
  readonly reference?: string;
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const keyOf = (orderId: string): string => `market.publish.${orderId}`;

export function readRecord(store: Store, orderId: string): PublishRecord | undefined {
  try {
    const value: unknown = JSON.parse(store.getItem(keyOf(orderId)) ?? 'null');
    if (value === null || typeof value !== 'object') return undefined;
    return 'reference' in value && typeof value.reference === 'string' ? { reference: value.reference } : {};
  } catch {
    return undefined;
  }
}

export function keepRecord(store: Store, orderId: string, record: PublishRecord): void {
  store.setItem(keyOf(orderId), JSON.stringify(record));
}

export function dropRecord(store: Store, orderId: string): void {
  store.removeItem(keyOf(orderId));
}
